#include "cli/program.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace ccp::testing {
namespace {

namespace fs = std::filesystem;

/// Where the outputs of a program go: outside the workplace, whose listing is compared.
fs::path output_file(const char* name) {
  std::string pattern = (fs::temp_directory_path() / (std::string("ccpbench-") + name + "-XXXXXX")).string();
  const int file = ::mkstemp(pattern.data());
  if (file < 0) throw std::runtime_error("no temporary file");
  ::close(file);
  return pattern;
}

/// What the program sets for itself, which takes it a second start: a quarter of a second under the sanitizers.
void preset_libraries() {
  ::unsetenv("OMP_WAIT_POLICY");
  ::setenv("GOMP_SPINCOUNT", "1000", 1);
  ::unsetenv("OPENBLAS_CORETYPE");
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) ::setenv("OPENBLAS_CORETYPE", "Haswell", 1);
#endif
}

[[noreturn]] void become(const fs::path& folder, const Arguments& arguments, const Environment& environment,
                         const fs::path& out, const fs::path& err) {
  ::setpgid(0, 0);
  const int out_file = ::open(out.c_str(), O_WRONLY | O_TRUNC), err_file = ::open(err.c_str(), O_WRONLY | O_TRUNC);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(out_file, STDOUT_FILENO);
  ::dup2(err_file, STDERR_FILENO);
  ::unsetenv("CCPBENCH_FCLIB_DIR");
  preset_libraries();
  for (const auto& [name, value] : environment) {
    if (value.empty())
      ::unsetenv(name.c_str());
    else
      ::setenv(name.c_str(), value.c_str(), 1);
  }
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  std::vector<char*> words = {const_cast<char*>(program_file)};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execv(program_file, words.data());
  ::_exit(127);
}

}  // namespace

std::string Workplace::write(const std::string& name, const std::string& content) const {
  std::ofstream(*this / name, std::ios::binary) << content;
  return text(name);
}

std::vector<std::string> Workplace::listing() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(path()))
    names.push_back(fs::relative(entry.path(), path()).string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Program::Program(const Workplace& place, const Arguments& arguments, const Environment& environment)
    : out_(output_file("out")), err_(output_file("err")), pid_(::fork()) {
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) become(place.path(), arguments, environment, out_, err_);
  ::setpgid(pid_, pid_);  // in both processes, so that it holds whoever is first
}

Program::~Program() {
  if (!ended_) {
    send(SIGKILL);
    collect(true);
  }
  std::error_code ignored;
  fs::remove(out_, ignored);
  fs::remove(err_, ignored);
}

void Program::send(int signal) const { ::kill(-pid_, signal); }

bool Program::collect(bool block) {
  if (!ended_) ended_ = ::waitpid(pid_, &status_, block ? 0 : WNOHANG) == pid_;
  return ended_;
}

bool Program::running() { return !collect(false); }

bool Program::catches(int signal) const {
  const std::string process = "/proc/" + std::to_string(pid_);
  std::error_code gone;
  // Before it is the program it is a copy of this process, with the handlers of Catch.
  if (fs::read_symlink(process + "/exe", gone) == fs::read_symlink("/proc/self/exe")) return false;
  std::ifstream status(process + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("SigCgt:", 0) == 0) return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
  return false;
}

Answer Program::wait() {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (running() && std::chrono::steady_clock::now() < limit) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const bool in_time = ended_;
  if (!in_time) {
    send(SIGKILL);
    collect(true);
  }
  Answer answer{WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_), read_text(out_), read_text(err_)};
  INFO("stdout: " << answer.out << "\nstderr: " << answer.err);
  REQUIRE(in_time);
  return answer;
}

Answer run_program(const Workplace& place, const Arguments& arguments, const Environment& environment) {
  return Program(place, arguments, environment).wait();
}

bool wait_until(const std::function<bool()>& condition) {
  for (int step = 0; step < 3000; ++step) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::string bad_input_line(const Answer& answer) {
  INFO("stdout: " << answer.out << "\nstderr: " << answer.err);
  CHECK(answer.code == 2);
  const auto lines = lines_of(answer.err);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].rfind("ccpbench: error: ", 0) == 0);
  CHECK(answer.err.back() == '\n');
  return lines[0];
}

}  // namespace ccp::testing
