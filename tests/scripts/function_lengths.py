"""Finds the functions of a source file with their first and last lines. No parser of C++: it counts braces, as clang-format has
set them, and tells functions from namespaces and classes by what stands before a brace."""

import ast
import re

NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>\w*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)
SCOPE = re.compile(r"(?:inline\s+)?(?:namespace|class|struct|union|enum|extern)\b[^()]*$")
MARKS = re.compile("[{};]")


def without_template(head):
    """What stands before a brace, without "template <…>" in front."""
    while (head := head.strip()).startswith("template"):
        depth = 0
        for place, sign in enumerate(head):
            depth += (sign == "<") - (sign == ">")
            if sign == ">" and depth == 0:
                break
        head = head[place + 1:]
    return head


def begins_function(head):
    return "(" in head and not head.rstrip().endswith("=") and not SCOPE.match(without_template(head))


def cpp_functions(text):
    """(first line, last line) of every function that stands in no other one; lambdas and local classes count with theirs."""
    code = NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    found, start, head, depth = [], None, 0, 0  # head: end of the statement before; depth: of braces inside a function
    for mark in MARKS.finditer(code):
        sign, place = mark.group(), mark.start()
        if depth:
            depth += (sign == "{") - (sign == "}")
            # After a member that is initialised with braces the body is still to come.
            if depth == 0 and code[place + 1:].lstrip()[:1] not in (",", "{"):
                found.append((code.count("\n", 0, start) + 1, code.count("\n", 0, place) + 1))
                start, head = None, place + 1
        elif sign == "{" and (start is not None or begins_function(code[head:place])):
            start = start if start is not None else place - len(code[head:place].lstrip())
            depth = 1
        else:
            head = place + 1
    return found


def python_functions(text):
    return [(node.lineno, node.end_lineno) for node in ast.walk(ast.parse(text))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def functions(path):
    text = path.read_text(encoding="utf-8")
    return python_functions(text) if path.suffix == ".py" else cpp_functions(text)
