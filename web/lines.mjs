/**
 * Plugin of oxlint with the one rule that it lacks: a line has at most 140 columns (the formatter aims at 120 and leaves
 * strings alone). Exempt are lines with a regular expression, which cannot be split, and in tests lines with a string:
 * samples of texts read best in one piece.
 */
const most = 140;

const maxLen = {
  create: (context) => ({
    Program() {
      const test = /\.test\.tsx?$|\/test\//.test(context.filename);
      for (const [at, line] of context.sourceCode.lines.entries()) {
        if (line.length <= most || /^\s*(?:test: )?\/(?![/*])/.test(line) || (test && /["'`]/.test(line))) continue;
        const start = { line: at + 1, column: 0 };
        context.report({ message: `${line.length} columns, and ${most} are the most`, loc: { start, end: start } });
      }
    },
  }),
};

export default { meta: { name: "lines" }, rules: { "max-len": maxLen } };
