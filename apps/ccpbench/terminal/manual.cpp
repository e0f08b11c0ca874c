#include "terminal/manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/text.hpp"

namespace ccp::cli {
namespace {

/// The code point that begins at `place`, which moves to its last byte.
unsigned int code_point(const std::string& text, std::size_t& place) {
  const auto first = static_cast<unsigned char>(text[place]);
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  unsigned int code = more == 3 ? first & 0x07u : more == 2 ? first & 0x0Fu : more == 1 ? first & 0x1Fu : first;
  for (int i = 0; i < more && place + 1 < text.size(); ++i)
    code = code << 6 | (static_cast<unsigned char>(text[++place]) & 0x3Fu);
  return code;
}

/// A text as troff shows it; "-" is the sign of options, which must not become a hyphen.
std::string troff(const std::string& text) {
  std::string escaped;
  if (!text.empty() && (text[0] == '.' || text[0] == '\'')) escaped = "\\&";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else if (static_cast<unsigned char>(c) >= 0x80)
      escaped += fmt::format("\\[u{:04X}]", code_point(text, i));
    else
      escaped += c;
  }
  return escaped;
}

/// A meaning as a sentence.
std::string sentence(const std::string& text) { return troff(text) + (text.ends_with('.') ? "" : ".") + "\n"; }

/// An argument of a macro, between quotes.
std::string macro_argument(const std::string& text) {
  std::string escaped;
  for (const char c : troff(text)) escaped += c == '"' ? std::string("\\(dq") : std::string(1, c);
  return "\"" + escaped + "\"";
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); });
  return text;
}

/// The end of a help page. Lines that follow each other are one paragraph, but those with indentation, which are shown as
/// they are; headings of the program become sections, those of a command bold lines.
std::string footer_page(const std::string& footer, bool of_program) {
  std::string page;
  std::istringstream lines(footer);
  bool verbatim = false;
  const auto end_verbatim = [&] {
    if (verbatim) page += ".EE\n.RE\n";
    verbatim = false;
  };
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.rfind("  ", 0) == 0;
    if (!indented) end_verbatim();
    if (line.empty()) {
      if (!of_program) page += ".PP\n";
    } else if (indented) {
      if (!verbatim) page += ".RS 4\n.EX\n";
      verbatim = true;
      page += troff(line.substr(line.rfind("  $ ", 0) == 0 ? 4 : 2)) + "\n";
    } else if (of_program && line.find(' ') == line.rfind(' ') && line.find('.') == std::string::npos) {
      page += ".SH " + macro_argument(upper(line)) + "\n";
    } else if (!of_program && line.find(' ') == std::string::npos) {
      page += ".PP\n" + troff(line) + ":\n";
    } else {
      if (line.rfind("Exit codes:", 0) == 0) page += ".PP\n";
      page += (of_program && page.find(".SH NOTES") == std::string::npos ? ".SH NOTES\n" : "") + troff(line) + "\n";
    }
  }
  end_verbatim();
  return page;
}

std::string arguments_page(const CommandText& command) {
  std::string page;
  for (const bool positional : {true, false})
    for (const ArgumentText& argument : command.arguments) {
      if (argument.positional != positional) continue;
      page += ".TP\n.B " + troff(argument.label) + "\n" + sentence(argument.meaning);
      if (!argument.choices.empty() && argument.label.find('|') == std::string::npos)
        page += "One of " + troff(join(argument.choices, ", ")) + ".\n";
    }
  return page;
}

/// Two paragraphs in a row, and one before a heading, are an empty one.
std::string without_empty_paragraphs(const std::string& page) {
  std::istringstream lines(page);
  std::string kept, before;
  for (std::string line; std::getline(lines, line);) {
    const bool heading = line.rfind(".S", 0) == 0 || line == ".PP" || line.rfind(".TP", 0) == 0;
    if (before == ".PP" && heading) kept.erase(kept.size() - 4);
    if (!(line == ".PP" && before.rfind(".S", 0) == 0)) kept += line + "\n";
    if (!(line == ".PP" && before.rfind(".S", 0) == 0)) before = line;
  }
  if (before == ".PP") kept.erase(kept.size() - 4);
  return kept;
}

}  // namespace

std::string manual_page(const std::vector<CommandText>& texts, const std::string& version) {
  const CommandText& program = texts.front();
  std::string page =
      fmt::format(".TH {0} 1 \"\" \"{1} {2}\" \"User commands\"\n", upper(program.name), program.name, version);
  page += fmt::format(".SH NAME\n{} \\- {}\n", program.name, troff(program.meaning));
  page += fmt::format(".SH SYNOPSIS\n.B {}\n", troff(program.usage));
  page += ".SH OPTIONS\n" + arguments_page(program) + ".SH COMMANDS\n";
  for (std::size_t i = 1; i < texts.size(); ++i) {
    const CommandText& command = texts[i];
    page +=
        fmt::format(".SS {}\n.B {}\n.PP\n{}.\n", macro_argument(command.name), troff(command.usage), troff(command.meaning));
    page += arguments_page(command) + ".PP\n" + footer_page(command.footer, false);
  }
  return without_empty_paragraphs(page + footer_page(program.footer, true));
}

}  // namespace ccp::cli
