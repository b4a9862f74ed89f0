#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/findings/analyses.h"
#include "core/base/fields.h"
#include "core/base/text.h"

namespace snapviewer::report {

// SQL tables whose rows are the results of analyses. The rows may point into these results, because a DeviceAnalyses keeps
// its results, and each table shares ownership of the Analyses.

using AnalysesPointer = std::shared_ptr<const findings::Analyses>;
using Arguments = std::span<const Cell>;
using FunctionRowsPointer = std::shared_ptr<const FunctionRows>;

/// The fields of rows that belong to a device.
template <typename Row>
using DeviceFields = Fields<Row, findings::DeviceAnalyses>;

/// The device number, which is a column of every table and in no JSON object.
template <typename Row>
Field<Row, findings::DeviceAnalyses> device_field() {
    return {"device", FieldUnit::id, "device number as in the file",
            [](const Row&, const findings::DeviceAnalyses& device) { return device.trace().device; }, k_only_in_tables};
}

/// Returns {"source", "bytes", "count"} of a source line.
nlohmann::ordered_json source_json(const stacks::SourceBytes& line);

/// The rows of a table, computed for one device after another.
template <typename Row>
class DeviceRows final : public FunctionRows {
public:
    explicit DeviceRows(const DeviceFields<Row>& fields) : fields_(fields) {}
    void add(findings::DeviceAnalyses& device, Row row) { rows_.emplace_back(&device, std::move(row)); }

    std::size_t count() const override { return rows_.size(); }
    Cell cell(std::size_t row, std::size_t column) const override {
        return fields_.cell(rows_[row].second, *rows_[row].first, column);
    }

private:
    const DeviceFields<Row>& fields_;  ///< Never destroyed
    std::vector<std::pair<findings::DeviceAnalyses*, Row>> rows_;
};

/// Rows of all devices that are read in place, so that a table of millions of rows takes no memory.
template <typename Row>
class RowsInPlace final : public FunctionRows {
public:
    explicit RowsInPlace(const DeviceFields<Row>& fields) : fields_(fields) {}
    /// Adds `count` rows of a device. `read` returns the row with a number below `count`.
    void add(findings::DeviceAnalyses& device, std::size_t count, std::function<Row(std::size_t)> read) {
        parts_.push_back({this->count() + count, &device, std::move(read)});
    }

    std::size_t count() const override { return parts_.empty() ? 0 : parts_.back().end; }
    Cell cell(std::size_t row, std::size_t column) const override {
        const auto part = std::ranges::upper_bound(parts_, row, {}, &Part::end);
        const std::size_t begin = part == parts_.begin() ? 0 : (part - 1)->end;
        return fields_.cell(part->read(row - begin), *part->device, column);
    }

private:
    struct Part {
        std::size_t end;  ///< Number of rows up to and including this part
        findings::DeviceAnalyses* device;
        std::function<Row(std::size_t)> read;
    };
    const DeviceFields<Row>& fields_;  ///< Never destroyed
    std::vector<Part> parts_;
};

/// Computes the rows of all devices, one device after another. `add` appends the rows of one device.
template <template <typename> typename Rows = DeviceRows, typename Row, typename Add>
FunctionRowsPointer rows_of_devices(const DeviceFields<Row>& fields, const findings::Analyses& analyses, Add add) {
    auto rows = std::make_shared<Rows<Row>>(fields);
    for (std::size_t i = 0; i < analyses.device_count(); ++i) add(analyses.device(i), *rows);
    return rows;
}

/// Creates a table without parameters. `add` is called as in rows_of_devices().
template <template <typename> typename Rows = DeviceRows, typename Row, typename Add>
TableFunction device_table(const char* name, const char* doc, const DeviceFields<Row>& fields,
                           const AnalysesPointer& analyses, Add add) {
    return {name, doc, fields.columns(), {}, [&fields, analyses, add](Arguments) {
                return rows_of_devices<Rows>(fields, *analyses, add);
            }};
}

// Tables of each topic. They share ownership of `analyses`.
TableFunction steps_table(const AnalysesPointer& analyses);
TableFunction growth_table(const AnalysesPointer& analyses);
TableFunction generations_table(const AnalysesPointer& analyses);
TableFunction kinds_table(const AnalysesPointer& analyses);
TableFunction call_tree_table(const AnalysesPointer& analyses);
TableFunction device_memory_table(const AnalysesPointer& analyses);
TableFunction pool_use_table(const AnalysesPointer& analyses);
TableFunction modules_table(const AnalysesPointer& analyses);
TableFunction contradictions_table(const AnalysesPointer& analyses);
TableFunction findings_table(const AnalysesPointer& analyses);
TableFunction holes_table(const AnalysesPointer& analyses);
TableFunction layout_table(const AnalysesPointer& analyses);
TableFunction pins_table(const AnalysesPointer& analyses);
TableFunction changes_table(const AnalysesPointer& analyses);

}  // namespace snapviewer::report
