// Read one program of TypeScript and print what the gates ask: syntax, facts, types, entries, and it as JavaScript.
// node check.cjs TYPESCRIPT_DIRECTORY < {"source": …}; it runs behind the wall, and runs nothing of the program.
"use strict";
const ts = require(process.argv[2] + "/lib/typescript.js");
const { source } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const NAME = "program.ts";
// What reaches out of the program: the type checker knows none of the host's, these it does.
const FORBIDDEN = new Set(["eval", "Function", "globalThis", "Reflect", "Proxy", "WebAssembly", "SharedArrayBuffer", "Atomics",
  "process", "require", "module", "exports", "Deno", "Bun", "setTimeout", "setInterval", "queueMicrotask"]);
const MEMBERS = new Set(["constructor", "__proto__", "prototype", "caller", "callee", "defineProperty", "setPrototypeOf"]);
const K = ts.SyntaxKind;

const options = {
  strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS, types: [],
  lib: ["lib.es2022.d.ts"], skipLibCheck: true, ignoreDeprecations: "6.0",
};
const file = ts.createSourceFile(NAME, source, ts.ScriptTarget.ES2022, true);
const host = ts.createCompilerHost(options, true);
const given = host.getSourceFile;
host.getSourceFile = (name, ...more) => (name === NAME ? file : given.call(host, name, ...more));
host.fileExists = ((before) => (name) => name === NAME || before(name))(host.fileExists);
const program = ts.createProgram([NAME], options, host);

const lineAt = (position) => file.getLineAndCharacterOfPosition(position).line + 1;
const line = (node) => lineAt(node.getStart(file));
const told = (found) => found.map((one) => ({
  line: one.start === undefined ? 1 : lineAt(one.start),
  message: ts.flattenDiagnosticMessageText(one.messageText, " "),
  code: one.code,
}));

const functions = [{ name: "the module", line: 1, complexity: 1, calls: [] }];
const choices = [], imports = [], names = [], loops = [];
const isFunction = (node) => ts.isFunctionLike(node) && node.body !== undefined;
const nameOf = (node) => (node.name ? node.name.getText(file)
  : node.parent && ts.isVariableDeclaration(node.parent) ? node.parent.name.getText(file) : "a function");

function armsOf(node) {
  let count = 1;
  while (node.elseStatement && ts.isIfStatement(node.elseStatement)) { node = node.elseStatement; count += 1; }
  return count + (node.elseStatement ? 1 : 0);
}
function ends(node) {
  // Whether a loop is left in its own body; a function inside it leaves only itself.
  let found = false;
  const look = (child, inner) => {
    if (ts.isReturnStatement(child) || ts.isThrowStatement(child)) found = true;
    if (ts.isBreakStatement(child) && (child.label || !inner)) found = true;
    if (isFunction(child)) return;
    const deeper = inner || ts.isIterationStatement(child, false) || ts.isSwitchStatement(child);
    ts.forEachChild(child, (one) => look(one, deeper));
  };
  look(node.statement, false);
  return found;
}
const isTrue = (node) => node === undefined || node.kind === K.TrueKeyword || (ts.isNumericLiteral(node) && node.text !== "0");

function walk(node, scope) {
  if (isFunction(node)) {
    scope = { name: nameOf(node), line: line(node), complexity: 1, calls: [] };
    functions.push(scope);
  }
  if (ts.isIfStatement(node)) {
    scope.complexity += 1;
    const continued = ts.isIfStatement(node.parent) && node.parent.elseStatement === node;
    if (!continued) choices.push({ number: armsOf(node), line: line(node), name: scope.name });
  } else if (ts.isSwitchStatement(node)) {
    choices.push({ number: node.caseBlock.clauses.length, line: line(node), name: scope.name });
    scope.complexity += node.caseBlock.clauses.filter((clause) => ts.isCaseClause(clause)).length;
  } else if (ts.isConditionalExpression(node)) {
    scope.complexity += 1;
    const continued = ts.isConditionalExpression(node.parent) && node.parent.whenFalse === node;
    let number = 2;
    for (let last = node; ts.isConditionalExpression(last.whenFalse); last = last.whenFalse) number += 1;
    if (!continued) choices.push({ number, line: line(node), name: scope.name });
  } else if (ts.isCatchClause(node)) {
    scope.complexity += 1;
  } else if (ts.isIterationStatement(node, false)) {
    scope.complexity += 1;
    const test = ts.isForStatement(node) ? node.condition : node.expression;
    const endless = !ts.isForInStatement(node) && !ts.isForOfStatement(node) && isTrue(test);
    if (endless && !ends(node)) loops.push({ line: line(node), name: scope.name });
  } else if (ts.isBinaryExpression(node) && [K.AmpersandAmpersandToken, K.BarBarToken, K.QuestionQuestionToken].includes(node.operatorToken.kind)) {
    scope.complexity += 1;
  } else if (ts.isImportDeclaration(node) || ts.isImportEqualsDeclaration(node) || (ts.isExportDeclaration(node) && node.moduleSpecifier)) {
    imports.push({ name: (node.moduleSpecifier || node.moduleReference).getText(file), line: line(node) });
  } else if (ts.isCallExpression(node)) {
    if (node.expression.kind === K.ImportKeyword) imports.push({ name: "import()", line: line(node) });
    const called = ts.isPropertyAccessExpression(node.expression) && node.expression.expression.kind === K.ThisKeyword
      ? node.expression.name : node.expression;
    if (ts.isIdentifier(called)) scope.calls.push(called.text);
  }
  if (ts.isIdentifier(node) && FORBIDDEN.has(node.text) && !(ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) && !ts.isPropertyAssignment(node.parent)) {
    names.push({ name: node.text, line: line(node) });
  }
  if (ts.isPropertyAccessExpression(node) && MEMBERS.has(node.name.text)) names.push({ name: node.name.text, line: line(node) });
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression) && MEMBERS.has(node.argumentExpression.text)) {
    names.push({ name: node.argumentExpression.text, line: line(node) });
  }
  if (node.kind === K.AnyKeyword) names.push({ name: "any", line: line(node), types: true });
  ts.forEachChild(node, (child) => walk(child, scope));
}
walk(file, functions[0]);

const hidden = [];
for (const found of source.matchAll(/(?:\/\/|\/\*)[\s\S]*?@ts-(?:ignore|nocheck|expect-error|check)\b|\/\/\/\s*<[^>]*>/g)) {
  hidden.push({ line: lineAt(found.index), message: found[0].trim().slice(0, 60) });
}

const exported = (node) => (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export) !== 0;
const parameters = (node) => node.parameters.map((one) => ({ name: one.name.getText(file), annotation: one.type ? one.type.getText(file) : "" }));
const entries = [];
for (const node of file.statements) {
  if (ts.isFunctionDeclaration(node) && exported(node) && node.name && node.body) {
    entries.push({ name: node.name.text, kind: "function", parameters: parameters(node) });
  } else if (ts.isClassDeclaration(node) && exported(node) && node.name) {
    const method = node.members.find((one) => ts.isMethodDeclaration(one) && one.name.getText(file) === "invoke");
    if (method) entries.push({ name: node.name.text, kind: "class", parameters: parameters(method) });
  }
}
const syntax = told(program.getSyntacticDiagnostics(file));
const types = syntax.length ? [] : told([...program.getOptionsDiagnostics(), ...program.getSemanticDiagnostics(file)]);
const javascript = ts.transpileModule(source, { compilerOptions: { ...options, noEmit: false } }).outputText;
console.log(JSON.stringify({ syntax, types, functions, choices, imports, names, hidden, loops, entries, javascript }));
