#include "problems/finite_elements/elastic_body.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <set>
#include <utility>

namespace ccp {
namespace {

std::size_t entry(Index number) { return static_cast<std::size_t>(number); }

/// places: of all nodes.
std::vector<Vector3> corner_places(const Mesh& mesh, Index element, const std::vector<Vector3>& places) {
  std::vector<Vector3> corners;
  for (int a = 0; a < node_count(mesh.kind); ++a) corners.push_back(places[entry(mesh.element(element)[a])]);
  return corners;
}

}  // namespace

ElasticModel::ElasticModel(Mesh mesh, const ElasticMaterial& material, const std::string& name)
    : mesh_(std::move(mesh)), material_(material), skin_(skin_of(mesh_)), masses_(Vector::Zero(nodes())) {
  check_material(material_, name);
  for (Index element = 0; element < mesh_.elements(); ++element) {
    references_.push_back(corner_places(mesh_, element, mesh_.nodes));
    elements_.push_back(mesh_.kind == ElementKind::tetrahedron ? linear_tetrahedron(references_.back(), material_)
                                                               : trilinear_hexahedron(references_.back(), material_));
    for (int a = 0; a < node_count(mesh_.kind); ++a) masses_[mesh_.element(element)[a]] += elements_.back().masses[a];
    volume_ += elements_.back().volume;
  }
  Vector3 low = mesh_.nodes.front(), high = low;
  for (const Vector3& node : mesh_.nodes) {
    low = low.cwiseMin(node);
    high = high.cwiseMax(node);
  }
  thickness_ = (high - low).minCoeff();
  make_pattern();
}

void ElasticModel::make_pattern() {
  std::vector<std::set<int>> neighbours(entry(nodes()));
  const int count = node_count(mesh_.kind);
  for (Index element = 0; element < mesh_.elements(); ++element)
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b) neighbours[entry(mesh_.element(element)[a])].insert(mesh_.element(element)[b]);
  column_start_.push_back(0);
  for (const std::set<int>& column : neighbours) {
    row_.insert(row_.end(), column.begin(), column.end());
    column_start_.push_back(static_cast<int>(row_.size()));
  }
  for (Index element = 0; element < mesh_.elements(); ++element)
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b) {
        const Index column = mesh_.element(element)[b];
        const auto first = row_.begin() + column_start_[entry(column)],
                   last = row_.begin() + column_start_[entry(column) + 1];
        slots_.push_back(static_cast<int>(std::lower_bound(first, last, mesh_.element(element)[a]) - row_.begin()));
      }
}

CorotatedElement ElasticModel::moved(Index element, const std::vector<Vector3>& places) const {
  return corotated(elements_[entry(element)], references_[entry(element)], corner_places(mesh_, element, places));
}

ElasticModel::Forces ElasticModel::forces(const std::vector<Vector3>& places) const {
  Forces sum{Vector::Zero(3 * nodes()), Vector::Zero(9 * std::ssize(row_))};
  const int count = node_count(mesh_.kind);
  for (Index element = 0; element < mesh_.elements(); ++element) {
    const CorotatedElement now = moved(element, places);
    sum.energy += now.energy;
    sum.inverted += now.F.determinant() <= 0.0 ? 1 : 0;
    const DenseMatrix& stiffness = elements_[entry(element)].stiffness;
    const int* slots = slots_.data() + element * count * count;
    const auto block = [&](int a, int b) { return Eigen::Map<Matrix3>(sum.blocks.data() + 9 * slots[a * count + b]); };
    for (int a = 0; a < count; ++a) {
      sum.force.segment<3>(3 * Index{mesh_.element(element)[a]}) += now.force.segment<3>(3 * a);
      for (int b = 0; b <= a; ++b) {
        Matrix3 turned = now.rotation * stiffness.block<3, 3>(3 * a, 3 * b) * now.rotation.transpose();
        if (a == b) turned = (0.5 * (turned + turned.transpose())).eval();
        block(a, b) += turned;
        if (a != b) block(b, a) += turned.transpose();
      }
    }
  }
  return sum;
}

ElasticModel::Forces ElasticModel::energy(const std::vector<Vector3>& places) const {
  Forces sum;
  for (Index element = 0; element < mesh_.elements(); ++element) {
    const CorotatedElement now = moved(element, places);
    sum.energy += now.energy;
    sum.inverted += now.F.determinant() <= 0.0 ? 1 : 0;
  }
  return sum;
}

Vector ElasticModel::von_mises_stresses(const std::vector<Vector3>& places) const {
  Vector stresses(mesh_.elements());
  for (Index element = 0; element < mesh_.elements(); ++element) {
    const CorotatedElement now = moved(element, places);
    stresses[element] = von_mises_stress(material_, now.F, now.rotation);
  }
  return stresses;
}

ElasticBody elastic_body(std::shared_ptr<const ElasticModel> model, const Vector3& position, const Matrix3& rotation) {
  ElasticBody body;
  body.model = std::move(model);
  for (const Vector3& node : body.model->mesh().nodes) body.places.emplace_back(position + rotation * node);
  body.velocities.assign(body.places.size(), Vector3::Zero());
  body.starts = body.places;
  return body;
}

SparseMatrix stiffness_matrix(const ElasticModel& model, const ElasticModel::Forces& forces) {
  SparseMatrix K(3 * model.nodes(), 3 * model.nodes());
  K.reserve(forces.blocks.size());
  for (Index node = 0; node < model.nodes(); ++node)
    for (Index axis = 0; axis < 3; ++axis) {
      K.startVec(3 * node + axis);
      for (int slot = model.column_start()[entry(node)]; slot < model.column_start()[entry(node) + 1]; ++slot)
        for (Index row = 0; row < 3; ++row)
          K.insertBack(3 * Index{model.row()[entry(slot)]} + row, 3 * node + axis) =
              forces.blocks[9 * slot + 3 * axis + row];
    }
  K.finalize();
  return K;
}

double kinetic_energy(const ElasticBody& body) {
  double twice = 0.0;
  for (std::size_t node = 0; node < body.velocities.size(); ++node)
    twice += body.model->masses()[static_cast<Index>(node)] * body.velocities[node].squaredNorm();
  return 0.5 * twice;
}

Vector flattened(const std::vector<Vector3>& vectors) {
  Vector values(3 * std::ssize(vectors));
  for (Index i = 0; i < std::ssize(vectors); ++i) values.segment<3>(3 * i) = vectors[entry(i)];
  return values;
}

std::vector<Vector3> unflattened(ConstVectorRef values) {
  std::vector<Vector3> vectors;
  vectors.reserve(entry(values.size() / 3));
  for (Index i = 0; i + 2 < values.size(); i += 3) vectors.emplace_back(values.segment<3>(i));
  return vectors;
}

}  // namespace ccp
