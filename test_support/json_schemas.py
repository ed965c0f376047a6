"""Write the JSON Schemas of the library, and TypeScript's types of the same values, from its table of fields.

python -m test_support.json_schemas
"""

import json
import re

from perudo_core import _fields
from perudo_core._client_codec import OBSERVATION_SCHEMA
from perudo_core._codec import STATE_SCHEMA
from perudo_core._fields import DEFINITIONS, EVENT, Schema, schema_of
from perudo_core._record import RECORD_SCHEMA
from test_support.documents import ROOT

FOLDER = ROOT / "perudo_core/src/perudo_core/schemas"
TYPESCRIPT = ROOT / ".tools/node/node_modules/typescript/bin/tsc"
DOCUMENTS: dict[str, tuple[str, str, Schema]] = {
    "action": ("Action", "An action of a game, chance included: perudo_core.dump_action.", _fields.ACTION.schema),
    "call": ("Call", "What a client sends: perudo_core.load_call.", _fields.CALL_SCHEMA),
    "event": ("GameEvent", "What happened: perudo_core.dump_event of visible_events(events, seat).", EVENT.schema),
    "observation": (
        "Observation",
        "All that one seat, or a bystander, may know: perudo_core.dump_observation.",
        schema_of(_fields.OBSERVATION_FIELDS, schema={"const": OBSERVATION_SCHEMA}),
    ),
    "record": ("GameRecord", "The inputs of a game: perudo_core.Record.", RECORD_SCHEMA),
    "rules": ("Rules", "The options of a game: perudo_core.Rules.to_dict.", DEFINITIONS["Rules"]),
    "state": (
        "State",
        "A whole state, with all dice, for storage: perudo_core.dump_state.",
        schema_of(_fields.STATE_FIELDS, schema={"const": STATE_SCHEMA}),
    ),
}
"""The files, and for each its TypeScript name, its description and its schema."""


def written() -> dict[str, str]:
    texts = {f"{name}.json": laid_out(document(name)) for name in DOCUMENTS}
    types = DEFINITIONS | {title: schema | {"description": about} for title, about, schema in DOCUMENTS.values()}
    exported = "\n".join(
        f"{comment(schema)}export type {name} = {typescript(schema)};\n" for name, schema in types.items()
    )
    return texts | {"perudo-core.d.ts": f"// Written by python -m test_support.json_schemas\n\n{exported}"}


def document(name: str) -> Schema:
    """Return a schema that stands alone."""
    title, description, schema = DOCUMENTS[name]
    says = schema.get("properties", {}).get("schema", {})
    version = says.get("const", says.get("enum", ["/1"])[-1]).rpartition("/")[2]
    needed: dict[str, Schema] = {}
    found = re.compile(r"#/\$defs/(\w+)").findall
    while names := [name for name in found(json.dumps([schema, needed])) if name not in needed]:
        needed |= {name: DEFINITIONS[name] for name in names}
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:perudo-core:{name}:{version}",
        "title": title,
    }
    return head | schema | {"description": description} | ({"$defs": needed} if needed else {})


def laid_out(schema: Schema) -> str:
    """Return a schema as JSON with a line for each property, alternative and definition."""
    lines = []
    for key, value in schema.items():
        said = json.dumps(value)
        if key in {"properties", "$defs", "oneOf"}:
            named = value.items() if isinstance(value, dict) else (("", each) for each in value)
            inner = ",\n    ".join(f"{name and json.dumps(name) + ': '}{json.dumps(each)}" for name, each in named)
            said = f"{said[0]}\n    {inner}\n  {said[-1]}"
        lines.append(f"  {json.dumps(key)}: {said}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def typescript(schema: Schema, indent: str = "") -> str:
    match schema:
        case {"$ref": ref}:
            return str(ref).rpartition("/")[2]
        case {"const": value}:
            return json.dumps(value)
        case {"enum": values}:
            return " | ".join(map(json.dumps, values))
        case {"anyOf": kinds} | {"oneOf": kinds}:
            return " | ".join(typescript(kind, indent) for kind in kinds)
        case {"prefixItems": kinds}:
            return f"[{', '.join(typescript(kind, indent) for kind in kinds)}]"
        case {"type": "array", "items": kind}:
            return f"Array<{typescript(kind, indent)}>"
        case {"type": "object", "properties": properties}:
            deeper, needed = f"{indent}  ", schema.get("required", [])
            lines = [
                f"{comment(kind, deeper)}{deeper}{name}{'' if name in needed else '?'}: {typescript(kind, deeper)};\n"
                for name, kind in properties.items()
            ]
            return f"{{\n{''.join(lines)}{indent}}}"
        case {"additionalProperties": True}:
            return "any"
        case {"type": name}:
            return "number" if name == "integer" else str(name)
    raise ValueError(f"no type for {schema}")


def comment(schema: Schema, indent: str = "") -> str:
    return f"{indent}/** {schema['description']} */\n" if "description" in schema else ""


if __name__ == "__main__":
    for name, text in written().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
