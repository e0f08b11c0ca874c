#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "core/nearest_names.hpp"
#include "core/text.hpp"

using namespace ccp;

namespace {
const std::vector<std::string> solvers{"jacobi", "gauss_seidel", "nsgs", "admm", "fadmm"};
}

TEST_CASE("the nearest name is the likely misspelling", "[core]") {
  CHECK(nearest_name("jakobi", solvers) == "jacobi");
  CHECK(nearest_name("gaus_seidl", solvers) == "gauss_seidel");
  CHECK(nearest_name("gauss-seidel", solvers) == "gauss_seidel");
  CHECK(nearest_name("nsg", solvers) == "nsgs");
  CHECK(nearest_name("fadm", solvers) == "fadmm");
  CHECK(nearest_name("admm", solvers) == "admm");
}

TEST_CASE("a name far from all candidates has no nearest one", "[core]") {
  CHECK(nearest_name("interior_point", solvers).empty());
  CHECK(nearest_name("", solvers).empty());
  CHECK(nearest_name("jacobi", {}).empty());
  CHECK(nearest_name("xy", {"ab"}).empty());  // two edits, but nothing in common
}

TEST_CASE("of equally near names the first is taken", "[core]") {
  CHECK(nearest_name("rhx", {"rho", "rha"}) == "rho");
  CHECK(nearest_name("rhx", {"rha", "rho"}) == "rha");
}

TEST_CASE("a suggestion names the near candidate or all of them", "[core]") {
  CHECK(suggestion("jakobi", solvers) == " (did you mean 'jacobi'?)");
  CHECK(suggestion("interior_point", solvers) == " (known: jacobi, gauss_seidel, nsgs, admm, fadmm)");
  CHECK(suggestion("jacobi", {}).empty());
}

TEST_CASE("the nearest names are those of the smallest distances, in order", "[core]") {
  CHECK(nearest_names("admn", solvers, 2) == std::vector<std::string>{"admm", "fadmm"});
  CHECK(nearest_names("fadm", solvers, 3) == std::vector<std::string>{"fadmm", "admm", "nsgs"});
  CHECK(nearest_names("x", solvers, 9).size() == solvers.size());
}

TEST_CASE("join puts the separator between parts only", "[core]") {
  CHECK(join({}, ", ").empty());
  CHECK(join({"a"}, ", ") == "a");
  CHECK(join({"a", "b", ""}, "/") == "a/b/");
}

TEST_CASE("format_double is short and reads back the same", "[core]") {
  CHECK(format_double(0.1) == "0.1");
  CHECK(format_double(1e-9) == "1e-09");
  CHECK(format_double(5.0) == "5");
  CHECK(format_double(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(format_double(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(format_double(std::numeric_limits<double>::quiet_NaN()) == "nan");

  std::mt19937_64 bits(3);
  for (int i = 0; i < 10000; ++i) {
    const auto pattern = bits();
    double value = 0.0;
    std::memcpy(&value, &pattern, sizeof value);
    if (!std::isfinite(value)) continue;
    const double read = std::strtod(format_double(value).c_str(), nullptr);
    REQUIRE(read == value);
  }
  for (const double value : {0.0, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(), 1.0 / 3.0})
    CHECK(std::strtod(format_double(value).c_str(), nullptr) == value);
}

TEST_CASE("a name is meant by its beginning, its words, and whatever its case") {
  const std::vector<std::string> keys = {"tolerance", "measure", "native", "max_iterations", "time_limit_s"};
  CHECK(suggestion("max_iter", keys) == " (did you mean 'max_iterations'?)");
  CHECK(suggestion("maxIter", keys) == " (did you mean 'max_iterations'?)");
  CHECK(suggestion("tol", keys) == " (did you mean 'tolerance'?)");
  CHECK(suggestion("Time-Limit", keys) == " (did you mean 'time_limit_s'?)");
  CHECK(suggestion("absolute_tolerance", keys) == " (did you mean 'tolerance'?)");
  CHECK(suggestion("timeout", keys) == " (known: tolerance, measure, native, max_iterations, time_limit_s)");
  CHECK(suggestion("stack", {"odd_mass_stack", "drum", "guided_stack"}) ==
        " (did you mean 'odd_mass_stack' or 'guided_stack'?)");
  CHECK(suggestion("nccp", {"ccp", "ncp"}) == " (did you mean 'ccp' or 'ncp'?)");
  CHECK(suggestion("MU", {"nu", "mu"}) == " (did you mean 'mu'?)");
  CHECK(nearest_name("ma", keys).empty());  // the beginning of one, but of two letters
}

TEST_CASE("of very many names the nearest are shown") {
  std::vector<std::string> many;
  for (char c = 'a'; c <= 'z'; ++c) many.push_back(std::string("name_") + c + c + c + c);
  const std::string text = suggestion("name_aabbccdd", many);
  CHECK(text.starts_with(" (the nearest of 26: name_aaaa, "));
  CHECK(std::count(text.begin(), text.end(), ',') == 7);
}
