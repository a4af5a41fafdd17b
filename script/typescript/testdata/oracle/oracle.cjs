// Reads sources as JSON from stdin and says what the compiler of TypeScript itself knows of each: where the second parameter
// of the default action is used, and which calls of its secrets.ref have which text. The path of typescript is the argument.
const ts = require(process.argv[2]);
const sources = JSON.parse(require('fs').readFileSync(0, 'utf8'));

const skip = (n) => {
  for (;;) {
    if (ts.isParenthesizedExpression(n) || ts.isAsExpression(n) || ts.isSatisfiesExpression(n) || ts.isNonNullExpression(n) || ts.isTypeAssertionExpression(n)) n = n.expression;
    else return n;
  }
};

const look = (text) => {
  const name = '/tool.ts';
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TS);
  const host = {
    getSourceFile: (f) => (f === name ? file : undefined), getDefaultLibFileName: () => '/lib.d.ts', writeFile() {}, getCurrentDirectory: () => '/',
    getCanonicalFileName: (f) => f, useCaseSensitiveFileNames: () => true, getNewLine: () => '\n', fileExists: (f) => f === name, readFile: () => undefined,
  };
  const program = ts.createProgram([name], { noLib: true, noResolve: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, moduleDetection: ts.ModuleDetectionKind.Force }, host);
  const checker = program.getTypeChecker();

  // The types say which function the default action is, whatever way the source takes to it.
  const moduleSymbol = checker.getSymbolAtLocation(file);
  let exported = moduleSymbol && checker.getExportsOfModule(moduleSymbol).find((s) => s.escapedName === 'default');
  if (!exported) return null;
  if (exported.flags & ts.SymbolFlags.Alias) exported = checker.getAliasedSymbol(exported);
  const member = (type, key) => {
    const property = type.getProperty(key);
    return property && { property, type: checker.getTypeOfSymbolAtLocation(property, file) };
  };
  const actions = member(checker.getTypeOfSymbolAtLocation(exported, file), 'actions');
  const action = actions && member(actions.type, 'default');
  const signatures = action ? action.type.getCallSignatures() : [];
  const declaration = signatures.length > 0 && signatures[0].declaration;
  if (!declaration || declaration.getSourceFile() !== file || !declaration.body) return null;
  const parameters = declaration.parameters.filter((p) => !(ts.isIdentifier(p.name) && p.name.text === 'this'));
  const parameter = parameters[1];
  if (!parameter || !ts.isIdentifier(parameter.name)) return null;
  const wanted = checker.getSymbolAtLocation(parameter.name);

  const place = (n) => {
    const { line, character } = file.getLineAndCharacterOfPosition(n.getStart(file));
    return `${line + 1}:${character + 1}`;
  };
  const isContext = (n) => {
    if (!ts.isIdentifier(n) || n === parameter.name) return false;
    const parent = n.parent;
    if (ts.isVariableDeclaration(parent) && parent.name === n) return false; // var ctx: the parameter, declared again
    const symbol = ts.isShorthandPropertyAssignment(parent) && parent.name === n ? checker.getShorthandAssignmentValueSymbol(parent) : checker.getSymbolAtLocation(n);
    return symbol === wanted;
  };
  const uses = [];
  const refs = [];
  const visit = (n) => {
    if (ts.isTypeNode(n) && !ts.isExpressionWithTypeArguments(n) || ts.isTypeAliasDeclaration(n) || ts.isInterfaceDeclaration(n)) return;
    if (isContext(n)) uses.push(place(n));
    if (ts.isCallExpression(n) && n.arguments.length > 0 && ts.isStringLiteralLike(n.arguments[0])) {
      const callee = skip(n.expression);
      if (ts.isPropertyAccessExpression(callee) && callee.name.text === 'ref') {
        const secrets = skip(callee.expression);
        if (ts.isPropertyAccessExpression(secrets) && secrets.name.text === 'secrets' && isContext(skip(secrets.expression))) {
          refs.push(`${place(n.arguments[0])} ${n.arguments[0].text}`);
        }
      }
    }
    ts.forEachChild(n, visit);
  };
  visit(file);
  return { uses, refs };
};

process.stdout.write(JSON.stringify(sources.map(look)));
