#pragma once

#include <string>

#include "problem/contact_problem.hpp"
#include "terminal/table.hpp"

namespace ccp::cli {

/// "name  value" rows without a header; the value wraps.
Table facts_table();

/// Form, sizes, nonzeros and friction of a problem.
void add_problem_facts(Table& table, const ContactProblem& problem);

/// A section of a report: an empty line, a bold title, the table. Nothing when the table is empty.
void print_section(const std::string& title, const Table& table);

}  // namespace ccp::cli
