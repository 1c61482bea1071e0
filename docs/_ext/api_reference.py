"""The pages of the API reference: one for each public module, from its `__all__`."""

import functools
import importlib
import inspect
import pkgutil
import types
from pathlib import Path

PACKAGES = ("geomstats_cor", "cornet_nn")


@functools.cache
def public_modules():
    """Return the public modules by name, in the order of the reference.

    These are the packages, what their `__all__` lists of modules, and every module
    below them that has an `__all__`.
    """
    modules = {}
    for package_name in PACKAGES:
        package = importlib.import_module(package_name)
        modules[package_name] = package
        for name in package.__all__:
            value = getattr(package, name)
            if isinstance(value, types.ModuleType):
                modules[value.__name__] = value
        for found in pkgutil.walk_packages(package.__path__, package_name + "."):
            if not any(part.startswith("_") for part in found.name.split(".")):
                module = importlib.import_module(found.name)
                if hasattr(module, "__all__"):
                    modules[found.name] = module
    return modules


def public_names(module):
    """Return the public names of a module.

    Without an `__all__` these are the classes and functions that it defines.
    """
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", None) == module.__name__
    ]


def reference_pages():
    """Return the source of every page of the reference, by its name."""
    modules = public_modules()
    homes = _homes(modules)
    documented = {home: value for value, home in homes.values()}
    pages = {}
    for module_name, module in modules.items():
        pages[module_name] = _module_page(module_name, module, homes)
    for home, value in documented.items():
        if callable(value):
            pages[f"generated/{home}"] = _name_page(home, value, documented)
    lines = [_title("API reference"), "Every public name, by module.", ""]
    lines += [".. list-table::", "   :widths: 30 70", ""]
    for module_name, module in modules.items():
        lines.append(f"   * - :doc:`{module_name}`")
        lines.append(f"     - {_first_line(module)}")
    lines += ["", ".. toctree::", "   :hidden:", ""]
    pages["index"] = "\n".join([*lines, *(f"   {name}" for name in modules), ""])
    return pages


def _homes(modules):
    """Return where each object is documented, by its identity.

    A name that a package takes over from its subpackage is at home in the latter.
    """
    homes = {}
    for module_name in sorted(modules, key=lambda name: -name.count(".")):
        module = modules[module_name]
        for name in public_names(module):
            value = getattr(module, name)
            if not isinstance(value, types.ModuleType):
                homes.setdefault(id(value), (value, f"{module_name}.{name}"))
    return homes


def _module_page(module_name, module, homes):
    groups = {"Classes": [], "Functions": [], "Data": []}
    submodules = []
    for name in public_names(module):
        value = getattr(module, name)
        if isinstance(value, types.ModuleType):
            submodules.append(value.__name__)
        elif not callable(value):
            groups["Data"].append(name)
        else:
            group = "Classes" if inspect.isclass(value) else "Functions"
            groups[group].append(homes[id(value)][1])
    lines = [_title(module_name), f".. automodule:: {module_name}", "   :no-members:"]
    lines += ["", f".. currentmodule:: {module_name}", ""]
    for heading in ("Classes", "Functions"):
        own = [x for x in groups[heading] if x.rpartition(".")[0] == module_name]
        other = [x for x in groups[heading] if x not in own]
        if own or other:
            lines.append(_title(heading, "-"))
        if own:
            lines += [".. autosummary::", "   :nosignatures:", "   :toctree: generated"]
            lines.append("")
            lines += [*(f"   {x.rpartition('.')[2]}" for x in own), ""]
        if other:
            lines += [
                "Of a subpackage:",
                "",
                ".. autosummary::",
                "   :nosignatures:",
                "",
            ]
            below = len(module_name) + 1
            lines += [*(f"   ~{x[below:]}" for x in other), ""]
    if groups["Data"]:
        lines.append(_title("Data", "-"))
        for name in groups["Data"]:
            lines += _data_entry(name, getattr(module, name))
    if submodules:
        links = ", ".join(f":doc:`{name}`" for name in submodules)
        lines += [_title("Submodules", "-"), links + ".", ""]
    return "\n".join(lines)


def _name_page(home, value, documented):
    module_name, _, name = home.rpartition(".")
    lines = [_title(name), f".. currentmodule:: {module_name}", ""]
    if not inspect.isclass(value):
        return "\n".join([*lines, f".. autofunction:: {name}", ""])
    lines += [f".. autoclass:: {name}", "   :show-inheritance:"]
    members = _members(value, documented.values())
    if members:
        lines.append("   :members: " + ", ".join(members))
    return "\n".join([*lines, ""])


def _members(cls, documented):
    """Return the members that the page of a class shows.

    These are its own, and those of bases that have no page themselves.
    """
    bases = [x for x in cls.__mro__[1:] if _is_ours(x)]
    with_page = [base for base in bases if any(base is x for x in documented)]
    names = [name for name in vars(cls) if _is_shown(cls, name)]
    for base in bases:
        names += [
            name
            for name in vars(base)
            if _is_shown(cls, name)
            and name not in names
            and not any(hasattr(other, name) for other in with_page)
        ]
    return names


def _is_shown(cls, name):
    value = inspect.getattr_static(cls, name)
    value = getattr(value, "__func__", value)
    return (
        not name.startswith("_")
        and (inspect.isfunction(value) or isinstance(value, property))
        and bool(inspect.getdoc(value))
        and (isinstance(value, property) or value.__module__.startswith(PACKAGES))
    )


def _is_ours(cls):
    return cls.__module__.split(".")[0] in PACKAGES


def _show_bases(app, name, obj, options, bases):
    """Replace bases that have no page by their own bases."""
    documented = [value for value, _ in _homes(public_modules()).values()]
    shown, waiting = [], list(bases)
    while waiting:
        base = waiting.pop(0)
        if _is_ours(base) and not any(base is x for x in documented):
            waiting[:0] = base.__bases__
        elif base not in shown:
            shown.append(base)
    if len(shown) > 1 and object in shown:
        shown.remove(object)
    bases[:] = [_link(base) for base in shown]


def _link(base):
    for value, home in _homes(public_modules()).values():
        if base is value:
            return f":py:class:`~{home}`"
    return base


def _data_entry(name, value):
    lines = [f".. py:data:: {name}", ""]
    if isinstance(value, dict):
        lines += [f"   A {type(value).__name__} with these entries:", ""]
        lines += [f"   - ``{key!r}``: {_shown(item)}" for key, item in value.items()]
    else:
        lines.append(f"   ``{value!r}``")
    return [*lines, ""]


def _shown(value):
    if inspect.isclass(value):
        return f"`{value.__name__}`"
    return f"``{value!r}``"


def _first_line(module):
    return (module.__doc__ or "").strip().split("\n")[0]


def _title(text, line="="):
    return f"{text}\n{line * len(text)}\n"


def _write(app, config):
    folder = Path(app.srcdir) / "api"
    (folder / "generated").mkdir(parents=True, exist_ok=True)
    for name, source in reference_pages().items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != source:
            path.write_text(source, encoding="utf-8")


def _resolve(app, env, node, content):
    """Link a name in backticks whose module is not the one of the page.

    A name that two modules have remains without a link.
    """
    if node.get("refdomain") != "py" or node.get("reftype") != "obj":
        return None
    target = node["reftarget"]
    homes = {
        home
        for _, home in _homes(public_modules()).values()
        if home.endswith(f".{target}")
    }
    if len(homes) != 1:
        return None
    python = env.get_domain("py")
    (home,) = homes
    return python.resolve_xref(
        env, node["refdoc"], app.builder, "obj", home, node, content
    )


def setup(app):
    """Write the pages before Sphinx looks for its sources."""
    app.connect("config-inited", _write)
    app.connect("autodoc-process-bases", _show_bases)
    app.connect("missing-reference", _resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
