#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/fclib_writer.hpp"
#include "problem/model.hpp"
#include "views/problem_source.hpp"

namespace ccp::cli {

/// The best point of the solver `reference`, certified or not, in the terms of the problem's own impulses (m, N·s). Throws
/// InputError where that solver does not take the problem, with what to do otherwise.
Vector reference_point(const ContactProblem& problem, Model model, double time_limit_s, const std::string& otherwise);

/// Writes one FCLib file as write_fclib() does, and prints a line about it. A solution is stored only where the measures
/// certify it for the problem that a reader of the file gets; a second line says which. The certificate in named.info is
/// that of another file and left out.
void write_dump(const std::filesystem::path& path, FclibForm form, const NamedProblem& named, FclibImpulses impulses,
                Model model, const SceneGeometry* geometry = nullptr, const std::vector<PlacedMesh>* meshes = nullptr);

}  // namespace ccp::cli
