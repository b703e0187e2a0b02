// Tests each rule on a bad sentence and a good one, then runs textlint with the rules over what users read.
//
//     node check.mjs ROOT [NAME ...]     all texts of the project, or those whose names begin so

import assert from "node:assert";
import { TextlintKernel } from "@textlint/kernel";
import markdown from "@textlint/textlint-plugin-markdown";
import { ENOUGH, RULES, WORDS } from "./rules.mjs";
import { gatherer, texts } from "./texts.mjs";
import { TURNS } from "./turns.mjs";

const kernel = new TextlintKernel();

/** Returns the findings in a text: rule, line and message. */
async function lint(text) {
    const plugins = [{ pluginId: "markdown", plugin: markdown.default ?? markdown }];
    const { messages } = await kernel.lintText(text, { ext: ".md", filePath: "text.md", plugins, rules: RULES });
    return messages;
}

/** Asserts which rules find something in a file of this name, as rule:line. */
async function expect(name, source, expected) {
    const found = (await lint(gatherer(name)(source))).map(({ ruleId, line }) => `${ruleId}:${line}`);
    assert.deepStrictEqual(found, expected, `${name}: ${source}`);
}

async function selfTest() {
    const page = "README.md";
    const long = (count) => `${"word ".repeat(count - 1)}word.`;
    for (const [text, expected] of [
        [long(WORDS), []],
        [long(WORDS + 1), ["length:1"]],
        [`${long(WORDS - 1).slice(0, -1)} \`so many codes are one word each\`.`, []],
        [`Short.\n\n- ${long(WORDS)}\n- Short. ${long(WORDS + 1)}`, ["length:4"]],
        [`\`\`\`sh\nso many ${long(99)}\n\`\`\``, []],
        ["| a | so many |\n|---|---|\n| told wrong | 1 |", ["turn:1", "turn:3"]],
        ["# What it does\n\nWhat is it? It reads.\n\nWhat it reads is kept.", ["opening:5"]],
        ["It reads [so\nmany](so-many.md) cells.", ["turn:1"]],
        ["```{glossary}\nhole\n  A cell is none.\n```", ["turn:3"]],
        [`${"A cell is read. ".repeat(ENOUGH)}`, ["passive:1"]],
        [`${"A cell is read. It reads the cell. It pays the price. ".repeat(ENOUGH)}`, []],
    ]) await expect(page, text, expected);
    for (const { turn, write, bad } of TURNS) {
        const found = await lint(bad);
        assert(found.some(({ message }) => message.endsWith(`write ${write}`)), `${turn} does not find: ${bad}`);
    }
    const quoted = 'fn f() { g("an error tells so many things") }\n// so many things are told here\nlet key = "so many";';
    await expect("crates/halfseen/src/a.rs", quoted, ["turn:1"]);
    await expect("crates/halfseen/src/a.rs", `let a = 1;\n#[cfg(test)]\nmod tests {\n${quoted}`, []);
    await expect("crates/halfseen/src/a.rs", `#[cfg(test)]\nmod tests;\n${quoted}`, ["turn:3"]);
    await expect("crates/halfseen-cli/src/args.rs", "#[derive(Args)]\nstruct A {\n    /// Reads so many cells.\n    a: u8 }", ["turn:3"]);
    await expect("crates/halfseen-python/python/halfseen/a.py", '"""Reads so many."""\nx = so_many  # so many are here', ["turn:1"]);
    await expect("docs/examples/plot_a.py", '"""\nHole\n====\n\nNone.\n"""\nso_many = "so many of them"\n# %%\n# One hole.', ["turn:2", "turn:9"]);
}

await selfTest();
const [root, ...names] = process.argv.slice(2);
const counts = {};
let looked = 0;
for (const { name, text } of texts(root)) {
    if (names.length > 0 && !names.some((start) => name.startsWith(start))) continue;
    looked += 1;
    for (const { line, ruleId, message } of await lint(text)) {
        counts[ruleId] = (counts[ruleId] ?? 0) + 1;
        console.log(`${name}:${line}: ${ruleId}: ${message}`);
    }
}
assert(looked > 0, "no text was found");
const total = Object.entries(counts).map(([rule, count]) => `, ${rule} ${count}`);
console.log(`${looked} texts${total.join("")}`);
process.exitCode = total.length > 0 ? 1 : 0;
