#include <catch2/catch.hpp>

#include "core/error.hpp"

using namespace ccp;

TEST_CASE("an input error names file, place and expectation in one line", "[core]") {
  CHECK(std::string(InputError("a.json", "/solvers/0", "expected a name").what()) == "a.json: /solvers/0: expected a name");
  CHECK(std::string(InputError("a.json", "", "expected a name").what()) == "a.json: expected a name");
  CHECK(std::string(InputError("", "--out", "expected a folder").what()) == "--out: expected a folder");
  CHECK(std::string(InputError("expected a folder").what()) == "expected a folder");
}

TEST_CASE("line breaks in an input error become blanks", "[core]") {
  CHECK(std::string(InputError("a\nb", "c\rd", "one\r\ntwo\n").what()) == "a b: c d: one  two ");
}

TEST_CASE("an input error shows bytes that are no text", "[core]") {
  const InputError error("M\374ller\033[31m \302\205", "", "µ");
  CHECK(std::string(error.what()) == "M\\xFCller\\x1B[31m \\xC2\\x85: µ");
  CHECK(error.file() == "M\\xFCller\\x1B[31m \\xC2\\x85");
}
