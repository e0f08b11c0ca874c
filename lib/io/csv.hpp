#pragma once

#include <string>
#include <string_view>

/// Pieces of a CSV file as of RFC 4180, with "\n" for the line end.
namespace ccp {

/// A field: quoted, with inner quotes doubled, when it holds a comma, a quote or a line break; else as it is.
std::string csv_field(std::string_view text);

/// "%.17g", which reads back as the same double; "nan", "inf", "-inf".
std::string csv_number(double value);

}  // namespace ccp
