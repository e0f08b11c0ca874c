#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace ccp {

/// What is wrong in one file, in the order in which it was found. A config is read several times, with each size and each
/// combination of its sweep in place: a place that was wrong in an earlier reading is the same mistake with other values.
class Mistakes {
 public:
  /// Begins a reading with other values in place. varied: the JSON pointers of these values, each of which can be wrong in
  /// a way of its own. context: what JsonSource::fail adds to the messages.
  void begin_reading(const std::vector<std::string>& varied, const std::string& context);
  void add(const InputError& mistake);
  /// Throws InputErrors when there are some: at most 20 lines, then how many more there are.
  void raise(const std::string& file) const;

 private:
  bool is_varied(const std::string& place) const;

  std::vector<std::string> lines_;
  std::set<std::string> texts_;              ///< place and message without context
  std::set<std::string> current_, earlier_;  ///< places that are wrong in this reading, and in those before
  std::vector<std::string> varied_;
  std::string context_;
};

/// Mistakes that stand in the list already.
class KnownMistakes : public InputError {
 public:
  KnownMistakes() : InputError("has mistakes") {}
};

/// Runs checks that do not depend on each other, the later ones also where an earlier one finds a mistake.
class Checks {
 public:
  /// mistakes: where they are listed; null: the first one is thrown at once.
  explicit Checks(Mistakes* mistakes) : mistakes_(mistakes) {}

  /// Whether it ended without a mistake.
  template <typename Check>
  bool operator()(const Check& check) {
    try {
      check();
      return true;
    } catch (const KnownMistakes&) {
    } catch (const InputError& mistake) {
      if (mistakes_ == nullptr) throw;
      mistakes_->add(mistake);
    }
    sound_ = false;
    return false;
  }

  bool sound() const { return sound_; }
  /// Throws KnownMistakes when one of the checks found a mistake.
  void finish() const {
    if (!sound_) throw KnownMistakes();
  }

 private:
  Mistakes* mistakes_;
  bool sound_ = true;
};

}  // namespace ccp
