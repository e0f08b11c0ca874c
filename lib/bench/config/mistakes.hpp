#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace ccp {

/// The mistakes of one file, in the order in which they were found. A config is read several times, with each size and each
/// combination of its sweep in place: a place that was wrong in an earlier reading is the same mistake with other values.
class Mistakes {
 public:
  /// Begins a reading with other values in place. varied: the JSON pointers of these values, each of which can be wrong in
  /// a way of its own. unset: those whose values are missing, for mistakes of their own; what is wrong with an object around
  /// them may come of that and is only listed where nothing else is wrong. context: what JsonSource::fail adds to the
  /// messages.
  void begin_reading(const std::vector<std::string>& varied, const std::vector<std::string>& unset,
                     const std::string& context);
  /// The mistakes that the error stands for, but for those that are known.
  void add(const InputError& error);
  bool none() const { return mistakes_.empty() && follow_ups_.empty(); }
  const std::vector<InputError>& list() const { return mistakes_; }
  /// Throws InputErrors when there are some.
  void raise() const;

 private:
  bool is_varied(const std::string& place) const;
  bool lacks_value(const std::string& place) const;
  void add_one(const InputError& mistake);

  std::vector<InputError> mistakes_, follow_ups_;
  std::set<std::string> texts_;              ///< place and message without context
  std::set<std::string> current_, earlier_;  ///< places that are wrong in this reading, and in those before
  std::vector<std::string> varied_, unset_;
  std::string context_;
};

/// How much of a config could be read in spite of its mistakes. What names something is refused only where all that it could
/// name is known.
struct Known {
  bool sweep = true;                     ///< all its axes
  bool solvers = true, problems = true;  ///< the labels of all of them
  bool columns = true;                   ///< which solvers these are, so their trace columns
  bool facts = true;                     ///< facts of the scenes in time
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
