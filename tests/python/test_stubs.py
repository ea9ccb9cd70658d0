"""What type checkers and completion see: stubs say what the modules have."""

import ast
import importlib
import inspect
import pathlib

import by_hand  # noqa: F401
import drx
import pytest

PACKAGE = pathlib.Path(drx.__file__).parent
STUBS = sorted(path.stem for path in PACKAGE.glob("*.pyi"))


@pytest.fixture(scope="module")
def modules():
    mpi4py = pytest.importorskip("mpi4py")
    mpi4py.rc.initialize = mpi4py.rc.finalize = False  # its library is not needed here
    return {name: importlib.import_module("drx." + name) for name in STUBS
            if any(PACKAGE.glob(f"{name}.*.so"))}


def names_in(body):
    """{name: node} of what a stub defines there; setters aside."""
    found = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(node.name, node)
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
    return found


def parameters_of(node):
    """[(name, whether it has a default)], in their order, without self."""
    args = node.args
    assert not args.kwonlyargs and not args.vararg and not args.kwarg, node.name
    required = len(args.args) - len(args.defaults)
    return [(one.arg, i >= required) for i, one in enumerate(args.args) if one.arg != "self"]


def real_parameters(call):
    return [(one.name, one.default is not inspect.Parameter.empty) for one in inspect.signature(call).parameters.values()
            if one.name != "self"]


def is_own(module, thing):
    """Whether the module defines it, and it is a function or a class."""
    return (inspect.isclass(thing) or inspect.isroutine(thing)) and getattr(thing, "__module__", None) == module.__name__


def test_stubs_say_what_there_is(modules):
    assert len(modules) >= 5
    checked = 0
    for name, module in modules.items():
        stub = names_in(ast.parse((PACKAGE / f"{name}.pyi").read_text()).body)
        real = {key for key, thing in vars(module).items() if not key.startswith("_") and is_own(module, thing)}
        assert real <= set(stub), f"{name}: not in the stub: {sorted(real - set(stub))}"
        for key, node in stub.items():
            where = f"{name}.{key}"
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                continue
            assert hasattr(module, key), f"{where}: only in the stub"
            if isinstance(node, ast.FunctionDef):
                assert real_parameters(getattr(module, key)) == parameters_of(node), where
                checked += 1
            else:
                checked += check_class(where, getattr(module, key), names_in(node.body))
    assert checked > 80


def check_class(where, cls, stub):
    checked = 0
    real = {key for key, thing in vars(cls).items() if not key.startswith("_") and
            (callable(thing) or inspect.isdatadescriptor(thing))}
    assert real <= set(stub), f"{where}: not in the stub: {sorted(real - set(stub))}"
    for key, node in stub.items():
        if isinstance(node, ast.FunctionDef):
            assert hasattr(cls, key), f"{where}.{key}: only in the stub"
        if isinstance(node, ast.FunctionDef) and not key.startswith("__") and not node.decorator_list:
            there, told = real_parameters(getattr(cls, key)), parameters_of(node)  # Cython tells no defaults of methods
            assert [name for name, _ in there] == [name for name, _ in told], f"{where}.{key}"
            checked += 1
    return checked


def test_completion():
    """dir() and help have all that the package offers."""
    assert set(drx.__all__) <= set(dir(drx))
    with drx.create(None, (2, 2)) as a:
        for name in ("append", "prepend", "extend", "trim", "add_axis", "reserve", "map", "advise", "oindex", "vindex"):
            assert name in dir(a) and getattr(type(a), name).__doc__
            if callable(getattr(a, name)):
                assert "axis" in str(inspect.signature(getattr(a, name))) or name in ("add_axis", "map", "advise")
