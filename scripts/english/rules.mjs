// Judges the sentences of a text: their length, the passive, how they open, and the turns that are banned.

import { split, SentenceSplitterSyntax } from "sentence-splitter";
import { StringSource } from "textlint-util-to-string";
import passive from "passive-voice";
import { END } from "./texts.mjs";
import { TURNS } from "./turns.mjs";

/** Most words of a sentence; code and a number are a word each. */
export const WORDS = 30;
/** Most of the sentences of a page that may be in the passive. */
export const PASSIVE = 1 / 3;
/** Sentences from which on such a share means something. */
export const ENOUGH = 20;

const OPENING = /^(What|Whether|How(?! to\b)|Who|Whom|Whose|Of|To (?=(drop|fill|learn|know|make|read|tell|say)\b))\b/;

/** Ends of sentences that the splitter misses: in parentheses, and after a number ("It reads 3. Then"). */
const MISSED = /(?<=(?<!\b(?:al|e\.g|i\.e|\p{Lu}))[.!?]\)?)(?= [\p{Lu}(])/u;

/** Yields the sentences of a block of text as {text, at}. */
function* sentences(text) {
    let start = 0;
    for (const part of text.split(END)) {
        for (const node of split(part)) {
            if (node.type !== SentenceSplitterSyntax.Sentence) continue;
            let at = start + node.range[0];
            for (const text of node.raw.split(MISSED)) {
                yield { text, at };
                at += text.length;
            }
        }
        start += part.length + END.length;
    }
}

const words = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));

/** Makes a rule of textlint of a function that sees a sentence and reports {at, message}. */
function rule(judge, finish) {
    return (context) => {
        const { Syntax, report, RuleError, locator } = context;
        const all = [];
        const look = (node) => {
            const source = new StringSource(node, { replacer: ({ node: inner, maskValue }) => (inner.type === Syntax.Code ? maskValue("x") : undefined) });
            for (const { text, at } of sentences(source.toString().replace(/\s/g, " "))) {
                const sentence = { text, heading: node.type === Syntax.Header, cell: node.type === Syntax.TableCell };
                all.push(sentence);
                for (const found of judge(sentence)) {
                    const index = source.originalIndexFromIndex(at + found.at) ?? 0;
                    report(node, new RuleError(found.message, { padding: locator.at(index) }));
                }
            }
        };
        return {
            [Syntax.Paragraph]: look,
            [Syntax.Header]: look,
            [Syntax.TableCell]: look,
            [`${Syntax.Document}:exit`](node) {
                const message = finish?.(all);
                if (message) report(node, new RuleError(message));
            },
        };
    };
}

const length = rule(function* ({ text }) {
    for (const [piece, at] of clauses(text)) {
        const count = words(piece).length;
        if (count > WORDS) yield { at, message: `${count} words in a sentence; at most ${WORDS}: make two of it (${piece.trim().slice(0, 40)} ...)` };
    }
});

/** A semicolon ends a sentence as well as a full stop does. */
function clauses(text) {
    let at = 0;
    return text.split(";").map((piece) => {
        const clause = [piece, at];
        at += piece.length + 1;
        return clause;
    });
}

const opening = rule(function* ({ text, heading, cell }) {
    const found = OPENING.exec(text);
    if (found && !heading && !cell && /[.:;!]\W*$/.test(text)) yield { at: 0, message: `opens with '${found[0]}': begin with the subject` };
});

const turns = rule(function* ({ text }) {
    for (const { turn, write, but } of TURNS) {
        for (const found of text.matchAll(new RegExp(turn, `g${turn.flags}`))) {
            if (!but?.test(text)) yield { at: found.index, message: `'${found[0].replace(/\s+/g, " ")}': write ${write}` };
        }
    }
});

const voice = rule(
    function* () {},
    (all) => {
        const told = all.filter(({ heading, cell, text }) => !heading && !cell && words(text).length > 3);
        const count = told.filter(({ text }) => passive(text.replace(/\s+/g, " ")).length > 0).length;
        const share = count / told.length;
        if (told.length < ENOUGH || share <= PASSIVE) return undefined;
        return `${count} of ${told.length} sentences are in the passive; at most a third: say who does it`;
    },
);

export const RULES = [
    { ruleId: "length", rule: length },
    { ruleId: "opening", rule: opening },
    { ruleId: "turn", rule: turns },
    { ruleId: "passive", rule: voice },
];
