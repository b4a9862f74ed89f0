#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/base/context.h"
#include "core/load/pytorch/object_table.h"

namespace snapviewer {

/// The impossible values in a snapshot. Reading records them with their row or list, because their device is not known yet.
/// At the end, the rows of a device are used up to its first impossible value.
class Damage {
public:
    using Kind = ObjectTable::Dict::Kind;
    /// Values in a run of rows that are not rows of its kind.
    struct Strays {
        std::uint64_t count = 0;
        std::uint32_t rows_before = 0;        ///< Number of rows before the first such value
        std::optional<std::uint64_t> offset;  ///< Byte offset of the first such value
    };
    /// The rows of a list before the first impossible value.
    struct WholeRows {
        std::uint32_t count = 0;
        bool is_all = true;
    };

    /// `table` must outlive this.
    explicit Damage(const ObjectTable& table) : table_(table) {}

    /// Sets the function that returns the reader's position in the file. It must stay callable as long as values are read.
    void set_position(std::function<std::uint64_t()> position) { position_ = std::move(position); }
    /// Returns the error of a failure, with the current position if it has no offset. Rethrows failures that are not about
    /// the content of the file.
    [[nodiscard]] Error located(Failure& failure) const;

    // While reading: records impossible values.
    void add_row(Kind kind, std::uint32_t row, Failure& failure) { rows_.try_emplace({kind, row}, located(failure)); }
    void add_frame(Failure& failure) { frame_ = located(failure); }
    void add_stray(Value list);
    /// Forgets the lists with this index and all later ones.
    void drop_lists(std::size_t from) {
        strays_.erase(strays_.lower_bound(static_cast<std::uint32_t>(from)), strays_.end());
    }
    /// The damage of the most recent impossible frame.
    const std::optional<Error>& frame() const { return frame_; }

    // At the end: `context` names the part of the file in errors, and `otherwise` is the message about values that are not
    // rows of the kind.
    const Strays* strays(Value list) const;
    /// Throws the damage of the first damaged row, if there is one.
    void check_rows(Kind kind, std::uint32_t first, std::uint32_t count, const std::string& context) const;
    /// Throws unless `list` contains rows of this kind and nothing else.
    void check_list(Value list, Kind kind, const char* otherwise, const std::string& context) const;
    /// Returns the rows of `list` before the first damaged row and the first value of another kind, which is added to the
    /// damage of the snapshot.
    WholeRows whole_rows(Value list, Kind kind, const char* otherwise, const std::string& context);
    /// Adds damage of the snapshot.
    void add(Error error, const std::string& context);
    std::uint32_t count() const { return count_; }  ///< Number of calls of add() so far
    /// The first damage of the snapshot, outside pinned host memory.
    const std::optional<Failure>& first() const { return first_; }

private:
    const ObjectTable& table_;
    std::function<std::uint64_t()> position_;
    std::map<std::pair<Kind, std::uint32_t>, Error> rows_;  ///< By kind and row
    std::map<std::uint32_t, Strays> strays_;                ///< By index of the list
    std::optional<Error> frame_;
    std::optional<Failure> first_;
    std::uint32_t count_ = 0;
};

}  // namespace snapviewer
