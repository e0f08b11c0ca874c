#pragma once

#include <optional>
#include <string>

#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"

namespace ccp {

/// cell.json: the cell and its result. Valid JSON whatever the values; a number that is not known is null.
std::string record_to_json(const Cell& cell, const CellRecord& record);

/// Reads cell.json. Nothing when the text is no complete record.
std::optional<CellRecord> record_from_json(const std::string& text);

}  // namespace ccp
