//! Answers programs: the verbs of a study as JSON under `/api/v1`.

use crate::app::{Route, Shared, apart, call, call_slow};
use crate::body;
use crate::failure::Failure;
use axum::extract::{Path, Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json};
use halfseen::Silent;
use halfseen_study::{
    Answers, Ask, By, Export, Pending, Person, Receipt, Right, Setup, Status, Study, StudyCurve,
    Subjects, Telling, answers_from_csv,
};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::sync::Arc;

/// Version of the interface, which changes when programs would have to.
const VERSION: u32 = 1;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        ("/api/v1/study", Right::Look, get(study)),
        ("/api/v1/status", Right::Look, get(status)),
        ("/api/v1/curve", Right::Look, get(curve)),
        ("/api/v1/next", Right::Collect, post(next)),
        ("/api/v1/tell", Right::Collect, post(tell)),
        ("/api/v1/pending", Right::Collect, get(pending)),
        ("/api/v1/model", Right::Analyse, get(model)),
        ("/api/v1/export/{what}", Right::Analyse, get(export)),
        ("/api/v1/check", Right::Correct, get(check)),
    ]
}

/// Failure that is answered as JSON.
pub(crate) struct Refusal(Failure);

impl<E: Into<Failure>> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal(error.into())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        self.0.into_json()
    }
}

type Answer<T> = std::result::Result<Json<T>, Refusal>;

/// Study and server, as a program needs to know them.
#[derive(Debug, Serialize)]
struct About {
    /// Version of this interface.
    api: u32,
    /// Version of the server's program.
    version: &'static str,
    /// Learner.
    learner: String,
    /// Its parameters.
    params: serde_json::Map<String, serde_json::Value>,
    /// Attributes, with kind, unit, range, panel, price and choices.
    attributes: Vec<halfseen_study::Attribute>,
    /// Target.
    target: halfseen_study::Attribute,
    /// Person of the token.
    person: Person,
}

/// Returns the setup, with the changes of others.
pub(crate) async fn present(app: &Shared) -> std::result::Result<Arc<Setup>, Failure> {
    call(app, Study::refresh).await?;
    Ok(app.setup())
}

/// Describe the study, and the person of the token.
async fn study(State(app): State<Shared>, Extension(person): Extension<Person>) -> Answer<About> {
    let Setup { schema, learner, params, .. } = (*present(&app).await?).clone();
    let version = env!("CARGO_PKG_VERSION");
    let (attributes, target) = (schema.attributes, schema.target);
    Ok(Json(About { api: VERSION, version, learner, params, attributes, target, person }))
}

/// Count subjects, asks, reads and money, and name what was never read.
async fn status(State(app): State<Shared>) -> Answer<Status> {
    Ok(Json(call_slow(&app, |study| study.status(&By::now(""))).await?))
}

pub(crate) fn as_csv(text: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], text).into_response()
}

/// Follow the learner's own error over the examples. The first call after an answer fits several
/// models.
async fn curve(State(app): State<Shared>) -> Answer<StudyCurve> {
    Ok(Json(call_slow(&app, |study| study.curve(&Silent)).await?))
}

/// Subjects to ask: by name, or a number of new ones.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NextBody {
    /// Names; those with an open ask keep it.
    #[serde(default)]
    subjects: Option<Vec<String>>,
    /// For each of `subjects`, values of attributes that are known of every subject, as `tell` takes
    /// them; they are stored with the asks.
    #[serde(default)]
    known: Option<Vec<Cells>>,
    /// Number of new subjects, instead.
    #[serde(default)]
    count: Option<u64>,
    /// Wave; the first ask of a new one is drawn from all answers so far.
    #[serde(default)]
    wave: Option<String>,
}

/// Most asks of one request.
const MOST: u64 = 100_000;

/// Say what to read of each subject.
async fn next(
    State(app): State<Shared>,
    Extension(person): Extension<Person>,
    request: Request,
) -> Answer<Vec<Ask>> {
    let body: NextBody = read(request).await?;
    let count = match (&body.subjects, body.count) {
        (Some(names), None) => names.len() as u64,
        (None, Some(count)) => count,
        _ => return Err(Failure::bad("give either `subjects` or `count`").into()),
    };
    if count > MOST {
        return Err(Failure::bad(format!(
            "{count} asks are too many for one request; ask for up to {MOST}"
        ))
        .into());
    }
    if body.known.as_ref().is_some_and(|known| body.subjects.iter().all(|s| s.len() != known.len()))
    {
        return Err(Failure::bad("give `known` for each of `subjects`, or leave it out").into());
    }
    let mut known = body.known.into_iter().flatten();
    let row = |(line, subject)| {
        let cells = known.next().map_or_else(Vec::new, |cells| cells.0);
        Answers { line, subject, ask: None, cells }
    };
    let rows: Option<Vec<Answers>> = body.subjects.map(|names| (1..).zip(names).map(row).collect());
    let by = By::now(&person.name);
    let drawn = call(&app, move |study| {
        let subjects = rows.as_deref().map_or(Subjects::Count(count), Subjects::Known);
        study.next(subjects, body.wave.as_deref(), &by, &Silent)
    });
    Ok(Json(drawn.await?))
}

/// Answers about one subject.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    subject: String,
    /// Number of the ask that is answered; none: the subject's last one.
    #[serde(default)]
    ask: Option<u64>,
    /// Values by the names of attributes, and the target: a number, or a text as in a CSV file, `NA`
    /// for what could not be had. `null` is not told yet.
    values: Cells,
}

/// Names and texts, in the order of the object; a name that is there twice stays twice.
#[derive(Debug)]
struct Cells(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Cells {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Cells, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Cells;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of names and values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cells, A::Error> {
                let mut cells = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, serde_json::Value>()? {
                    let text = match value {
                        serde_json::Value::Null => continue,
                        serde_json::Value::String(text) => text,
                        serde_json::Value::Number(number) => number.to_string(),
                        _ => {
                            return Err(serde::de::Error::custom(format!(
                                "the value of '{}' must be a number, a text or null",
                                halfseen::error::short(&name)
                            )));
                        }
                    };
                    cells.push((name, text));
                }
                Ok(Cells(cells))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

/// Answers to store.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TellBody {
    answers: Vec<Row>,
    /// Source of the values, for the audit.
    #[serde(default)]
    source: Option<String>,
    /// Store the rows that are not refused; else all or none.
    #[serde(default)]
    keep_going: bool,
    /// Store nothing, and say what would be stored and refused.
    #[serde(default)]
    check: bool,
}

/// The same for a CSV file, in the query of the URL.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manner {
    /// Source of the values, for the audit.
    #[serde(default)]
    source: Option<String>,
    /// Store the rows that are not refused; else all or none.
    #[serde(default)]
    keep_going: bool,
    /// Store nothing, and say what would be stored and refused.
    #[serde(default)]
    check: bool,
}

/// Store answers: any part, in any order, the same ones twice. When this has answered 200, they are
/// in the store.
async fn tell(
    State(app): State<Shared>,
    Extension(person): Extension<Person>,
    Query(manner): Query<Manner>,
    request: Request,
) -> Answer<Receipt> {
    let by = By::now(&person.name);
    let (parts, content) = request.into_parts();
    let (answers, how): (Vec<Answers>, _) = if body::kind(&parts.headers) == "text/csv" {
        let text = body::csv(content).await?;
        let setup = present(&app).await?;
        let answers = apart(move || answers_from_csv(&*text, &setup.schema)).await?;
        let Manner { source, keep_going, check: check_only } = manner;
        (answers, Telling { source, keep_going, check_only })
    } else {
        let sent: TellBody = body::json(&parts.headers, content).await?;
        let rows = sent.answers.into_iter().zip(1..);
        let answers = rows.map(|(row, line)| Answers {
            line,
            subject: row.subject,
            ask: row.ask,
            cells: row.values.0,
        });
        let TellBody { source, keep_going, check: check_only, .. } = sent;
        (answers.collect(), Telling { source, keep_going, check_only })
    };
    Ok(Json(call(&app, move |study| study.tell(&answers, &how, &by)).await?))
}

async fn read<T: serde::de::DeserializeOwned>(request: Request) -> Result<T, Failure> {
    let (parts, content) = request.into_parts();
    body::json(&parts.headers, content).await
}

/// Answer to what changes something.
#[derive(Debug, Serialize)]
pub(crate) struct Done {
    done: bool,
}

impl Done {
    /// Answers that it is done.
    pub(crate) fn from((): ()) -> Json<Done> {
        Json(Done { done: true })
    }
}

/// Reads a body, and changes what it says in the name of the person.
pub(crate) async fn change<B, T>(
    app: &Shared,
    person: &Person,
    request: Request,
    act: impl FnOnce(&mut Study, B, &By) -> halfseen_study::Result<T> + Send + 'static,
) -> std::result::Result<T, Refusal>
where
    B: serde::de::DeserializeOwned + Send + 'static,
    T: Send + 'static,
{
    let (body, by) = (read(request).await?, By::now(&person.name));
    Ok(call(app, move |study| act(study, body, &by)).await?)
}

/// Least age of asks.
#[derive(Debug, Deserialize)]
struct Age {
    #[serde(default)]
    older_than_days: Option<f64>,
}

/// List the open asks, oldest first.
async fn pending(State(app): State<Shared>, Query(age): Query<Age>) -> Answer<Vec<Pending>> {
    if age.older_than_days.is_some_and(|days| !(0.0..=1e6).contains(&days)) {
        return Err(Failure::bad("older_than_days is a number of days from 0 to 1,000,000").into());
    }
    let pending = call_slow(&app, move |study| study.pending(age.older_than_days, &By::now("")));
    Ok(Json(pending.await?))
}

/// Fit the model of all answers so far: a file that `halfseen predict` and Python read.
async fn model(State(app): State<Shared>) -> std::result::Result<Response, Refusal> {
    let text = call_slow(&app, |study| Ok(study.model(&Silent)?.to_json()?)).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// Write the study as CSV.
async fn export(
    State(app): State<Shared>,
    Path(what): Path<String>,
) -> std::result::Result<Response, Refusal> {
    let what = match what.as_str() {
        "reads" => Export::Reads,
        "wide" => Export::Wide,
        "audit" => Export::Audit,
        "erased" => Export::Erased,
        _ => {
            let problem = "exports are reads, wide, audit and erased";
            return Err(Failure::new(StatusCode::NOT_FOUND, problem).into());
        }
    };
    let text = call_slow(&app, move |study| {
        let mut text = Vec::new();
        study.export(what, &mut text)?;
        Ok(text)
    });
    Ok(as_csv(text.await?))
}

/// Problems of the store; none if it is sound.
#[derive(Debug, Serialize)]
struct Problems {
    problems: Vec<String>,
}

/// Test that the store is sound.
async fn check(State(app): State<Shared>) -> Answer<Problems> {
    Ok(Json(Problems { problems: call_slow(&app, halfseen_study::Study::check).await? }))
}
