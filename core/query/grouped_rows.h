#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/query/group_plan.h"
#include "core/query/virtual_table.h"

namespace snapviewer {

/// The rows of a table, each standing for a group of rows: it has their key, and their sum, least or greatest value of each
/// column that is added up. Some 5 ns a row and value.
class GroupedRows {
public:
    enum class Outcome { ready, stopped, too_large, too_many };

    GroupedRows(const GroupPlan& plan, const RowWalk& table);

    /// Whether all that is read are integers of the table; nothing else may be called if not.
    bool is_possible() const { return is_possible_; }
    /// Adds up the rest of a walk. A sum may be too large for 64 bits, and the groups too many to be kept.
    Outcome add_up(RowWalk& walk, bool descending);

    std::size_t size() const { return order_.size(); }
    /// What the n-th read of a row is answered with.
    std::optional<std::int64_t> value(std::size_t group, std::size_t read) const;

private:
    /// What one value is made of, for each group.
    struct Sums {
        GroupRead read;
        bool counts_rows = false;
        const Column* column = nullptr;
        std::vector<std::int64_t> values;
        std::vector<bool> is_some;
    };

    bool find_groups(const std::vector<std::size_t>& rows);
    std::uint32_t group_of(std::optional<std::int64_t> key);
    bool add(Sums& sums, const std::vector<std::size_t>& rows);

    bool is_possible_ = true;
    const Column* key_ = nullptr;
    std::vector<Sums> sums_;
    std::vector<std::optional<std::int64_t>> keys_;  ///< by group, in order of appearance
    std::vector<std::uint32_t> order_;               ///< groups in order of their keys
    std::vector<std::uint32_t> small_keys_;          ///< the group of keys from 0 on, or k_new_group
    std::unordered_map<std::int64_t, std::uint32_t> other_keys_;
    std::uint32_t null_key_;
    std::vector<std::uint32_t> groups_;  ///< of the rows of a block
    std::vector<std::optional<std::int64_t>> values_;
};

}  // namespace snapviewer
