#include "problems/articulated/mesh_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "core/error.hpp"

namespace ccp {
namespace {

constexpr std::uintmax_t most_bytes = 1000000000;
constexpr std::size_t stl_header = 84, stl_triangle = 50;

[[noreturn]] void refuse_mesh(const std::string& path, const std::string& expectation) {
  throw InputError(path, "", expectation);
}

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& letter : extension)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return extension;
}

/// Whether a file has the length that its count of triangles asks for; a binary one may begin with "solid", too.
bool is_binary_stl(const std::string& bytes) {
  if (bytes.size() < stl_header) return false;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  return bytes.size() == stl_header + stl_triangle * count;
}

std::vector<Vector3> binary_stl(const std::string& bytes) {
  std::vector<Vector3> points;
  for (std::size_t start = stl_header; start < bytes.size(); start += stl_triangle)
    for (std::size_t corner = 1; corner <= 3; ++corner) {
      float place[3];
      std::memcpy(place, bytes.data() + start + corner * sizeof place, sizeof place);
      points.emplace_back(place[0], place[1], place[2]);
    }
  return points;
}

/// The points of lines that begin with a word: "vertex" of STL, "v" of OBJ.
std::vector<Vector3> points_of_lines(const std::string& path, const std::string& text, const std::string& word) {
  std::vector<Vector3> points;
  std::istringstream lines(text);
  lines.imbue(std::locale::classic());
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    words.imbue(std::locale::classic());
    std::string first;
    if (!(words >> first) || first != word) continue;
    Vector3 point;
    if (!(words >> point[0] >> point[1] >> point[2]))
      refuse_mesh(path, fmt::format("line {} has '{}' without three numbers", number, word));
    points.push_back(point);
  }
  return points;
}

}  // namespace

std::string read_bytes(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) refuse_mesh(path, "no such file");
  if (!std::filesystem::is_regular_file(status)) refuse_mesh(path, "is no file");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > most_bytes) refuse_mesh(path, "cannot be read, expected a file of at most 1 GB");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) refuse_mesh(path, "cannot be read");
  return bytes;
}

std::vector<Vector3> read_mesh_points(const std::string& path) {
  const std::string extension = lower_extension(path);
  if (extension != ".stl" && extension != ".obj")
    refuse_mesh(path, fmt::format("has the extension '{}', expected .stl or .obj", extension));
  const std::string bytes = read_bytes(path);
  std::vector<Vector3> points;
  if (extension == ".obj")
    points = points_of_lines(path, bytes, "v");
  else if (is_binary_stl(bytes))
    points = binary_stl(bytes);
  else if (bytes.starts_with("solid"))
    points = points_of_lines(path, bytes, "vertex");
  else
    refuse_mesh(path, "is damaged: no STL, or shorter or longer than its count of triangles says");
  if (points.empty()) refuse_mesh(path, "has no points");
  return points;
}

}  // namespace ccp
