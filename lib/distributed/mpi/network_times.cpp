#include "distributed/mpi/network_times.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <vector>

namespace ccp {
namespace {

const MPI_Comm all = MPI_COMM_WORLD;
constexpr int untimed = 20;  // calls before those that are timed

/// A line: the least and the median time of a call, of which `parts` are in one of `once`.
std::string line(const char* what, std::size_t bytes, int ranks, int repeats, int parts, const std::function<void()>& once) {
  std::vector<double> seconds;
  for (int i = -untimed; i < repeats; ++i) {
    MPI_Barrier(all);
    const double start = MPI_Wtime();
    once();
    if (i >= 0) seconds.push_back((MPI_Wtime() - start) / parts);
  }
  std::sort(seconds.begin(), seconds.end());
  return fmt::format("{},{},{},{:.4g},{:.4g}\n", what, bytes, ranks, seconds.front(), seconds[seconds.size() / 2]);
}

}  // namespace

std::string network_times(int repeats) {
  const char* started = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (started == nullptr || std::atoi(started) < 2)
    throw std::runtime_error("messages need two ranks at least: mpiexec -n 2 ccpbench-ranks network");
  int me = 0, ranks = 0;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(all, &me);
  MPI_Comm_size(all, &ranks);
  std::string lines = "what,bytes,ranks,least_s,median_s\n";
  for (std::size_t bytes = 8; bytes <= std::size_t{2} << 20; bytes *= 4) {
    std::vector<char> data(bytes);
    const auto send = [&](int to) { MPI_Send(data.data(), static_cast<int>(bytes), MPI_CHAR, to, 0, all); };
    const auto receive = [&](int from) {
      MPI_Recv(data.data(), static_cast<int>(bytes), MPI_CHAR, from, 0, all, MPI_STATUS_IGNORE);
    };
    lines += line("message", bytes, ranks, repeats, 2, [&] {
      if (me == 0) {
        send(ranks - 1);
        receive(ranks - 1);
      } else if (me == ranks - 1) {
        receive(0);
        send(0);
      }
    });
  }
  for (int count = 64; count <= 4096; count *= 4) {
    std::vector<double> values(static_cast<std::size_t>(count));
    lines += line("sum", values.size() * sizeof(double), ranks, repeats, 1,
                  [&] { MPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_DOUBLE, MPI_SUM, all); });
  }
  MPI_Finalize();
  return me == 0 ? lines : "";
}

}  // namespace ccp
