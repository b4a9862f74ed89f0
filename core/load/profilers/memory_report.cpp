#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "core/base/context.h"
#include "core/base/text.h"
#include "core/load/profilers/reports.h"
#include "core/load/profilers/tables.h"

namespace snapviewer::profilers {
namespace {

/// Upper bounds of the sizes that are drawn, because damaged reports may contain any number and larger pictures cannot be
/// scaled.
constexpr std::int64_t k_max_live_bytes = std::int64_t{1} << 50;
constexpr std::uint64_t k_max_report_bytes = std::uint64_t{1} << 60;

class FixedDetails final : public DetailSource {
public:
    explicit FixedDetails(std::vector<DetailSection> sections) : sections_(std::move(sections)) {}
    Result<std::vector<DetailSection>> details(std::size_t, AllocationId id) override {
        if (id.value >= sections_.size()) return std::vector<DetailSection>();
        return std::vector<DetailSection>{sections_[id.value]};
    }

private:
    std::vector<DetailSection> sections_;
};

std::int64_t to_us(double milliseconds) { return std::llround(milliseconds * 1000); }

/// Reconstructs one training iteration from a memory report as the only device of a snapshot. Weights and gradients lie at
/// the bottom and last for the whole iteration. Activations form a pyramid above them: each begins with its operation in the
/// forward pass and ends with the same operation in the backward pass. A derived allocation on top represents the rest of
/// the peak. The categories of the allocations are weight, gradient, activation and untracked. A report without allocations
/// creates no device.
class IterationBuilder {
public:
    IterationBuilder(const MemoryReportRows& rows, const IterationTimes* times, Snapshot& snapshot, IcicleRows& report)
        : rows_(rows), times_(times), snapshot_(snapshot), report_(report) {}

    void run() {
        snapshot_.streams = {0};
        add_weights();
        const std::uint32_t standing = count();
        add_activations();
        add_untracked();
        add_frees();
        put_settings();
        if (count() == 0) {
            snapshot_.log.add("report_empty", {}, {"weights and no activations with a size; was the model on a GPU?"});
            return;
        }
        trace_.initial_count = standing;
        if (trace_.actions.empty()) {
            // If there are no activations, the last allocation becomes an action, so that the picture has one step.
            trace_.actions.push_back(AllocationId{--trace_.initial_count});
        }
        trace_.allocations_are_given = true;
        trace_.presentation.step_axis_title = "operation order (not time)";
        if (times_ != nullptr) describe_times();
        snapshot_.devices.push_back(std::move(trace_));
    }

    /// The allocation of each activation; none() if it is not drawn.
    std::vector<AllocationId> activations;
    std::vector<DetailSection> sections;  ///< details of each allocation, indexed by AllocationId

private:
    /// The properties of an allocation to add.
    struct Entry {
        const std::string& name;
        const std::vector<SourceLine>& frames;
        std::uint64_t size_bytes;
        IcicleGroup group;
        const char* category;
        double start_ms;
    };

    std::uint32_t count() const { return static_cast<std::uint32_t>(trace_.allocations.size()); }

    StackId intern_stack(const std::vector<SourceLine>& frames, const std::string& innermost) {
        std::vector<FrameId> ids;
        for (std::size_t i = frames.size(); i-- > 0;) {
            const StringId function = snapshot_.strings.intern(ids.empty() ? innermost : "");
            ids.push_back(
                snapshot_.stacks.intern_frame({snapshot_.strings.intern(frames[i].file), function, frames[i].line}));
        }
        return snapshot_.stacks.intern_stack(ids);
    }

    std::int64_t event_time_us(double time_ms) const { return times_ == nullptr ? k_no_time : to_us(time_ms); }

    AllocationId add(const Entry& entry, Origin origin, DetailSection section) {
        check_stop();
        const StackId stack = intern_stack(entry.frames, entry.name);
        const AllocationId id{count()};
        trace_.allocations.push({.size_bytes = entry.size_bytes, .origin = origin, .stack = stack});
        add_event(trace_, Action::alloc, id, event_time_us(entry.start_ms), stack,
                  intern_category(snapshot_, entry.category));
        report_.entries.push_back({entry.frames, entry.name, static_cast<double>(entry.size_bytes), entry.group, id.value});
        report_.allocations.push_back(id);
        sections.push_back(std::move(section));
        total_bytes_ += entry.size_bytes;
        return id;
    }

    void end(AllocationId id, double time_ms) {
        AllocationColumns& columns = trace_.allocations;
        columns.state[id.value] = AllocationState::freed;
        add_event(trace_, Action::free_completed, id, event_time_us(time_ms), columns.stack[id.value],
                  trace_.events.metadata[columns.alloc_event[id.value].value]);
        trace_.actions.push_back(id);
    }

    /// True if the size can be drawn. Logs negative and impossibly large sizes.
    bool is_valid_size(std::int64_t size_bytes) {
        if (size_bytes == 0) return false;
        if (size_bytes > 0 && size_bytes <= k_max_live_bytes &&
            total_bytes_ + static_cast<std::uint64_t>(size_bytes) <= k_max_report_bytes) {
            return true;
        }
        snapshot_.log.add("report_odd_size");
        return false;
    }

    void add_weights() {
        for (const WeightRow& row : rows_.weights) {
            if (!is_valid_size(row.size_bytes)) continue;
            const auto size = static_cast<std::uint64_t>(row.size_bytes);
            add({row.name, row.frames, size, IcicleGroup::weights, "weight", 0}, Origin::alloc,
                weight_section(row, "weight"));
            weight_bytes_ += size;
        }
        for (const WeightRow& row : rows_.weights) {
            if (!is_valid_size(row.gradient_bytes)) continue;
            const auto size = static_cast<std::uint64_t>(row.gradient_bytes);
            add({row.name, row.frames, size, IcicleGroup::weights, "gradient", 0}, Origin::alloc,
                weight_section(row, "gradient of the weight"));
            gradient_bytes_ += size;
        }
    }

    static DetailSection weight_section(const WeightRow& row, const char* what) {
        return {"Memory report",
                {{"what", what},
                 {"name", row.name},
                 {"row", fmt::format("weight_entries {}", row.id)},
                 {"gradient",
                  row.gradient_bytes > 0 ? format_bytes_exactly(static_cast<std::uint64_t>(row.gradient_bytes)) : "none"}}};
    }

    void add_activations() {
        activations.resize(rows_.activations.size(), AllocationId::none());
        for (std::size_t i = 0; i < rows_.activations.size(); ++i) {
            const ActivationRow& row = rows_.activations[i];
            if (!is_valid_size(row.size_bytes)) continue;
            const auto size = static_cast<std::uint64_t>(row.size_bytes);
            const IterationTimes::Life life = times_ == nullptr ? IterationTimes::Life() : times_->activations[i];
            const AllocationId id =
                add({row.operation, row.frames, size, IcicleGroup::activations, "activation", life.start_ms}, Origin::alloc,
                    activation_section(row, i, life));
            trace_.actions.push_back(id);
            drawn_.push_back({id, life.end_ms});
            activations[i] = id;
            activation_bytes_ += size;
        }
    }

    DetailSection activation_section(const ActivationRow& row, std::size_t index, const IterationTimes::Life& life) const {
        DetailSection section{
            "Memory report",
            {{"what", "activation: kept from the forward pass for the backward pass"},
             {"operation", row.operation},
             {"row", fmt::format("activation_entries {}", row.id)},
             {"forward order", fmt::format("{} of {}", format_count(index + 1), format_count(rows_.activations.size()))}}};
        if (times_ == nullptr) return section;
        const auto duration = [](const std::optional<double>& ms) {
            return ms ? format_duration_us(to_us(*ms)) : "not in the run-time report";
        };
        section.rows.emplace_back("forward time", duration(life.forward_ms));
        section.rows.emplace_back("backward time", duration(life.backward_ms));
        return section;
    }

    void add_untracked() {
        const std::int64_t peak = rows_.peak_bytes.value_or(0);
        if (peak <= 0) return;
        if (static_cast<std::uint64_t>(peak) < total_bytes_) {
            snapshot_.log.add("report_peak_too_small", {},
                              {format_bytes(total_bytes_, 2), format_bytes(static_cast<std::uint64_t>(peak), 2)});
            trace_.levels.push_back({"reported_peak", "reported peak",
                                     "the peak that the report states, which is lower than the sum of what it lists",
                                     static_cast<double>(peak)});
            return;
        }
        const std::int64_t size = peak - static_cast<std::int64_t>(total_bytes_);
        if (!is_valid_size(size)) return;
        static const std::string k_name = "untracked";
        static const std::vector<SourceLine> k_frames = {{k_no_source, 0}};
        const DetailSection section{"Memory report",
                                    {{"what",
                                      "untracked: the peak minus the weights, gradients and activations that the report "
                                      "lists. This includes optimizer state, inputs and temporaries"},
                                     {"peak", format_bytes_exactly(static_cast<std::uint64_t>(peak))},
                                     {"listed", format_bytes_exactly(total_bytes_)}}};
        const double start_ms = times_ == nullptr ? 0 : times_->forward_end_ms;
        untracked_ = add({k_name, k_frames, static_cast<std::uint64_t>(size), IcicleGroup::untracked, "untracked", start_ms},
                         Origin::derived, section);
        trace_.actions.push_back(untracked_);
        untracked_bytes_ = static_cast<std::uint64_t>(size);
    }

    void add_frees() {
        if (untracked_.is_some()) end(untracked_, drawn_.empty() ? end_ms() : drawn_.back().end_ms);
        for (std::size_t i = drawn_.size(); i-- > 0;) end(drawn_[i].id, drawn_[i].end_ms);
    }

    double end_ms() const { return times_ == nullptr ? 0 : times_->end_ms; }

    void describe_times() {
        trace_.presentation.time_axis_title = "sum of separately measured operations (not wall time)";
        trace_.presentation.has_wall_clock = false;
        Track passes;
        passes.name = "passes";
        const std::int64_t turn_us = to_us(times_->forward_end_ms);
        passes.ranges = {{"forward", 0, turn_us}, {"backward", turn_us, to_us(times_->end_ms)}};
        trace_.tracks.push_back(std::move(passes));
    }

    void put_settings() {
        const auto put = [&](const char* name, auto value) { snapshot_.settings.emplace_back(name, std::to_string(value)); };
        if (rows_.peak_bytes) put("peak_usage_bytes", *rows_.peak_bytes);
        put("weight_bytes", weight_bytes_);
        put("gradient_bytes", gradient_bytes_);
        put("activation_bytes", activation_bytes_);
        put("untracked_bytes", untracked_bytes_);
    }

    struct Activation {
        AllocationId id;
        double end_ms;
    };

    const MemoryReportRows& rows_;
    const IterationTimes* times_;
    Snapshot& snapshot_;
    IcicleRows& report_;
    DeviceTrace trace_;
    std::vector<Activation> drawn_;
    AllocationId untracked_;
    std::uint64_t weight_bytes_ = 0;
    std::uint64_t gradient_bytes_ = 0;
    std::uint64_t activation_bytes_ = 0;
    std::uint64_t untracked_bytes_ = 0;
    std::uint64_t total_bytes_ = 0;
};

}  // namespace

bool is_memory_report(const sqlite::SqliteFile& file) {
    return has_any_table(file, {"weight_entries", "activation_entries"});
}

std::vector<AllocationId> show_memory_report(const MemoryReportRows& rows, const IterationTimes* times, Snapshot& snapshot,
                                             LoadedFile& loaded) {
    snapshot.kind = FileKind::memory_report;
    IcicleRows& report = loaded.icicles.emplace_back();
    report.pictures = {{{"by source", "bytes at the peak, largest first", Unit::bytes}, IcicleLayout::by_source}};
    IterationBuilder iteration(rows, times, snapshot, report);
    iteration.run();
    loaded.details = std::make_shared<FixedDetails>(std::move(iteration.sections));
    return std::move(iteration.activations);
}

void read_memory_report(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded) {
    show_memory_report(read_memory_report_rows(*file, snapshot.log), nullptr, snapshot, loaded);
    check_stop();
}

}  // namespace snapviewer::profilers
