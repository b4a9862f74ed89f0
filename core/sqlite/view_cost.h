#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace snapviewer {

/// A view as the schema of a database has it.
struct ViewText {
    std::string name;
    std::string sql;  ///< CREATE VIEW ...
};

/// What SQLite would make of each view before it can tell even its columns: how many SELECTs are read once everything that
/// it mentions is written out, for SQLite writes a view or a part of WITH out wherever it is mentioned. Thirty views of
/// which each mentions the one before it twice are a billion. At least 1, never less than the true number; whatever looks
/// like a name counts as a mention. Time and memory follow the texts, and views that go round in circles end.
std::vector<std::uint64_t> view_costs(std::span<const ViewText> views);

}  // namespace snapviewer
