#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/constraints.hpp"
#include "core/fields.hpp"
#include "core/types.hpp"

/// Values as bytes, between processes of the same program on machines of the same kind.
namespace ccp {

template <typename Value>
concept Plain = std::is_trivially_copyable_v<Value>;

/// Puts values into a stream.
class Packer {
 public:
  using Write = std::function<void(const void* data, std::size_t bytes)>;
  explicit Packer(Write write) : write_(std::move(write)) {}
  /// Into memory, which must outlive the packer.
  explicit Packer(std::vector<char>& bytes)
      : write_([&bytes](const void* data, std::size_t count) {
          const char* first = static_cast<const char*>(data);
          bytes.insert(bytes.end(), first, first + count);
        }) {}

  template <Plain Value>
  void put(const Value& value) {
    write_(&value, sizeof value);
  }
  template <typename Value>
  void put(const std::vector<Value>& list) {
    if constexpr (Plain<Value>) {
      put_array(list.data(), std::ssize(list));
    } else {
      put(std::ssize(list));
      for (const Value& value : list) put(value);
    }
  }
  template <typename First, typename Second>
  requires(!Plain<std::pair<First, Second>>) void put(const std::pair<First, Second>& pair) {
    put(pair.first);
    put(pair.second);
  }
  void put(const std::string& text) { put_array(text.data(), std::ssize(text)); }
  void put(const Vector& x) { put_array(x.data(), x.size()); }
  void put(const SparseMatrix& matrix) {
    put(matrix.rows());
    put(matrix.cols());
    put_array(matrix.outerIndexPtr(), matrix.cols() + 1);
    put_array(matrix.innerIndexPtr(), matrix.nonZeros());
    put_array(matrix.valuePtr(), matrix.nonZeros());
  }
  void put(const ConstraintSet& set) {
    std::vector<ConstraintKind> kinds;
    std::vector<MomentFriction> moments;  // none where no block has any
    for (Index i = 0; i < set.count(); ++i) {
      kinds.push_back(set.kind(i));
      if (set.has_moments()) moments.push_back(set.moments(i));
    }
    put(kinds);
    put(set.frictions());
    put(moments);
  }
  void put(const FieldValue& value) {
    put(value.index());
    std::visit([this](const auto& one) { put(one); }, value);
  }
  /// One after the other.
  template <typename... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }

 private:
  template <typename Value>
  void put_array(const Value* data, Index count) {
    put(count);
    if (count > 0) write_(data, uz(count) * sizeof(Value));
  }

  Write write_;
};

/// Takes them out again, in the same order.
class Unpacker {
 public:
  using Read = std::function<void(void* data, std::size_t bytes)>;
  explicit Unpacker(Read read) : read_(std::move(read)) {}
  /// From memory, which must outlive the unpacker.
  explicit Unpacker(const std::vector<char>& bytes)
      : read_([at = bytes.data()](void* data, std::size_t count) mutable {
          std::memcpy(data, at, count);
          at += count;
        }) {}

  template <Plain Value>
  void take(Value& value) {
    read_(&value, sizeof value);
  }
  template <typename Value>
  requires(!std::is_same_v<Value, bool>) void take(std::vector<Value>& list) {
    list.resize(uz(take<Index>()));
    if constexpr (Plain<Value>)
      take_array(list.data(), std::ssize(list));
    else
      for (Value& value : list) take(value);
  }
  void take(std::string& text) {
    text.resize(uz(take<Index>()));
    take_array(text.data(), std::ssize(text));
  }
  void take(Vector& x) {
    x.resize(take<Index>());
    take_array(x.data(), x.size());
  }
  void take(SparseMatrix& matrix) {
    const auto rows = take<Index>(), columns = take<Index>();
    matrix.resize(rows, columns);
    take<Index>();
    take_array(matrix.outerIndexPtr(), columns + 1);
    const auto entries = take<Index>();
    matrix.resizeNonZeros(entries);
    take_array(matrix.innerIndexPtr(), entries);
    take<Index>();
    take_array(matrix.valuePtr(), entries);
  }
  void take(ConstraintSet& set) {
    const auto kinds = take<std::vector<ConstraintKind>>();
    const auto frictions = take<std::vector<double>>();
    const auto moments = take<std::vector<MomentFriction>>();
    set = ConstraintSet();
    for (std::size_t i = 0; i < kinds.size(); ++i)
      set.add(kinds[i], frictions[i], moments.empty() ? MomentFriction{} : moments[i]);
  }
  void take(FieldValue& value) { take_alternative<0>(value, take<std::size_t>()); }
  template <typename First, typename Second>
  requires(!Plain<std::pair<First, Second>>) void take(std::pair<First, Second>& pair) {
    take(pair.first);
    take(pair.second);
  }
  template <typename... Values>
  void operator()(Values&... values) {
    (take(values), ...);
  }
  template <typename Value>
  Value take() {
    Value value{};
    take(value);
    return value;
  }

 private:
  template <typename Value>
  void take_array(Value* data, Index count) {
    if (count > 0) read_(data, uz(count) * sizeof(Value));
  }
  template <std::size_t Alternative>
  void take_alternative(FieldValue& value, std::size_t index) {
    if constexpr (Alternative < std::variant_size_v<FieldValue>) {
      if (index == Alternative)
        value = take<std::variant_alternative_t<Alternative, FieldValue>>();
      else
        take_alternative<Alternative + 1>(value, index);
    }
  }

  Read read_;
};

}  // namespace ccp
