"""ast, tokenize and inspect on a piece of source."""

import ast
import inspect
import io
import tokenize

ARGUMENT = "def f(a, b=2, *rest, key=None):\n    '''Add.'''\n    return a + b  # sum\n\nclass C:\n    x: int = 1\n"


def helper(first, /, second: int = 3, *, third="x") -> bool:
    """Say what is asked."""
    return bool(first)


class Renamer(ast.NodeTransformer):
    def visit_Name(self, node):
        return ast.copy_location(ast.Name("renamed" if node.id == "a" else node.id, node.ctx), node)


def main(argument):
    tree = ast.parse(argument)
    tokens = tokenize.generate_tokens(io.StringIO(argument).readline)
    return {
        "functions": [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)],
        "arguments": [a.arg for a in tree.body[0].args.args],
        "docstring": ast.get_docstring(tree.body[0]),
        "literal": ast.literal_eval("{'a': [1, (2, 3)], 'b': None}"),
        "comments": [token.string for token in tokens if token.type == tokenize.COMMENT],
        "unparsed": ast.unparse(Renamer().visit(ast.parse("a + b"))),
        "signature": str(inspect.signature(helper)),
        "doc": inspect.getdoc(helper),
        "kinds": [parameter.kind.name for parameter in inspect.signature(helper).parameters.values()],
        "source": inspect.getsource(helper).splitlines()[0],
    }
