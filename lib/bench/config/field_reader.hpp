#pragma once

#include <set>
#include <string>

#include "bench/config/config_json.hpp"
#include "core/fields.hpp"

namespace ccp {

/// Reads an object into the fields of a table: refuses unknown and missing keys, wrong types, values out of range and
/// unknown names. Where mistakes are listed, it lists all of them, reads the rest, and throws KnownMistakes. left: keys that
/// another reader takes.
void read_fields(const Json& object, const FieldTable& table, const std::string& pointer, const JsonSource& source,
                 const std::set<std::string>& left = {});

/// One of them. Of objects that is the list alone: their reader knows what they are read into.
void read_field(const Json& value, const Field& field, const std::string& pointer, const JsonSource& source);

/// A number, a text, true or false, of a field that is not known.
FieldValue read_any(const Json& value, const std::string& pointer, const JsonSource& source);

/// JSON Schema of one field, and of an object with these fields.
Json field_schema(const Field& field);
Json fields_schema(const FieldTable& table);

}  // namespace ccp
