// Gathers what users read, as Markdown with the line numbers of its source: what is no prose is left blank.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const TESTS = /^#\[cfg\(test\)\]\n(?:#\[[^\n]*\n)*(?:pub(?:\(\w+\))? )?mod \w+ \{/m;
const CLAP = /derive\([^)]*\b(Parser|Args|Subcommand|ValueEnum)\b/;
export const END = "\u00b6"; // stands where a literal ends
const blank = (text) => text.replace(/[^\n]/g, " ");

/** Yields {name, text} of all texts under the folder of the project. */
export function* texts(root) {
    const listed = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");
    for (const name of listed) {
        const gather = gatherer(name);
        if (gather) yield { name, text: gather(readFileSync(`${root}/${name}`, "utf8")) };
    }
}

/** Returns what makes prose of a file of this name, or nothing. */
export function gatherer(name) {
    if (/^(README|RELIABILITY|CONTRIBUTING)\.md$|^crates\/[\w-]+\/README\.md$/.test(name)) return page;
    if (/^docs\/.*\.md$/.test(name) && !/^docs\/(papers\.md|papers\/|project\/|commands\/)/.test(name)) return page;
    if (/^docs\/examples\/(README\.rst|plot_.*\.py)$/.test(name)) return gallery;
    if (/\/tests(\/|\.rs$)/.test(name)) return undefined;
    if (/^crates\/halfseen(-io|-cli|-study|-solve|-python)?\/src\/.*\.rs$/.test(name)) return rust;
    if (/^crates\/halfseen-python\/python\/halfseen\/.*\.py$/.test(name)) return python;
    return undefined;
}

/** A page in Markdown: without the fences of the site's own blocks, whose contents are prose. */
export function page(source) {
    let glossary = false;
    const lines = source.split("\n").map((line) => {
        if (/^:{3,}|^:[\w-]+:/.test(line)) return "";
        if (/^```\{(glossary|note|warning|tip|seealso)\}/.test(line)) return (glossary = true), "";
        if (glossary && /^```$/.test(line)) return (glossary = false), "";
        if (glossary) return /^\s/.test(line) ? line.replace(/^ {2}/, "") : "";
        return line;
    });
    const math = (text) => text.replace(/\$\$[^$]*\$\$/g, blank).replace(/\$[^$\n]+\$/g, "`x`");
    return math(lines.join("\n")).replace(/\{term\}/g, "").replace(/<!--[\s\S]*?-->/g, blank);
}

/** An example of the gallery: its first docstring and the comments that begin with # %%. */
export function gallery(source) {
    let within = "code";
    const lines = source.split("\n").map((line) => {
        if (/^"""/.test(line)) return (within = within === "docstring" ? "code" : "docstring"), "";
        if (/^# %%/.test(line)) return (within = "comment"), "";
        if (within === "comment" && !line.startsWith("#")) within = "code";
        if (within === "code" && source.startsWith('"""')) return "";
        return rst(line.replace(/^# ?/, ""));
    });
    return underlined(lines).join("\n");
}

/** Rust: text literals of four words and more, and what the program's help is made of. */
export function rust(source) {
    const body = source.split(TESTS)[0];
    const help = CLAP.test(body);
    const text = body.replace(/"(?:[^"\\]|\\[\s\S])*"|\/\/[^\n]*|'(?:[^'\\\n]|\\.)'|[^"'/\n]+|['/]/g, (piece) => {
        if (/^\/\/\/ /.test(piece) && help) return `   ${piece.slice(3)}`;
        if (!piece.startsWith('"') || !sentence(piece)) return blank(piece);
        const plain = piece.slice(1, -1).replace(/\\n/g, ` ${END} `).replace(/\\\n/g, "\n").replace(/\\(.)/g, " $1");
        return ` ${placeholders(plain)} ${END}`;
    });
    return apart(text);
}

/** Python: docstrings without sections and examples, and text literals of four words and more. */
export function python(source) {
    const text = source.replace(/r?"""[\s\S]*?"""|[rf]?"(?:[^"\\\n]|\\.)*"|#[^\n]*|[^"#\nrf]+|[rf]/g, (piece) => {
        if (/^r?"""/.test(piece)) return docstring(piece.replace(/^r?"""|"""$/g, "   "));
        if (!/^[rf]?"/.test(piece) || !sentence(piece)) return blank(piece);
        return ` ${placeholders(piece.replace(/^[rf]?"|"$/g, "").replace(/\\(.)/g, " $1"))} ${END}`;
    });
    return apart(text);
}

function docstring(text) {
    const kept = text.split("\n").map((line) => {
        if (/^\s*(>>>|\.\.\.|[-=]{3,}|\.\. )/.test(line)) return "";
        if (/^\s*[\w*, ]+ : /.test(line)) return "";
        return rst(line);
    });
    return kept.join("\n").replace(/^([ \t]*)(Parameters|Returns|Yields|Raises|Attributes|Notes|References|Examples|See Also|Warns)$/gm, "");
}

const rst = (line) =>
    line
        .replace(/:\w+(:\w+)*:`([^`<]*)(<[^>]*>)?`/g, "`$2`")
        .replace(/``([^`]*)``/g, "`$1`")
        .replace(/`([^`<]*) <[^>]*>`_+/g, "$1");

/** Turns the underlined headings of reStructuredText into paragraphs of their own. */
function underlined(lines) {
    return lines.map((line, at) => {
        if (/^[=\-~]{3,}\s*$/.test(line)) return "";
        return /^[=\-~]{3,}\s*$/.test(lines[at + 1] ?? "") ? `# ${line}` : line;
    });
}

const placeholders = (text) => text.replace(/\{\{|\}\}/g, " ").replace(/\{[^{}]*\}/g, "`x`").replace(/[<>*_#|[\]]/g, " ");

/** Tells prose from keys, SQL, HTML and code: four words or more, mostly of letters. */
function sentence(piece) {
    if (/\b(SELECT|INSERT|UPDATE|DELETE|CREATE|REFERENCES)\b|<\/?\w+[ >]|::|[;{]\\n/.test(piece)) return false;
    return (piece.match(/(?<=[\s"'(])[a-z]+(?=[\s"',.;:)])/gi) ?? []).length >= 4;
}

/** Takes indents and commands away, and ends a text where columns are set apart by spaces. */
function apart(text) {
    const lines = text.split("\n").map((line) => line.trim());
    return lines.map((line) => (/^(halfseen|cargo|pip) /.test(line) ? "" : line.replace(/ {3,}(?=\S)/g, ` ${END} `))).join("\n");
}
