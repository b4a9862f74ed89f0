#include "core/document/analysis_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <tuple>

#include "core/analysis/space/holes.h"
#include "core/timeline/totals.h"

namespace snapviewer {
namespace {

constexpr std::int64_t k_before_all = -1;

/// Calls `work(DeviceAnalyses&)` for every device.
template <typename Work>
void for_all_devices(const Analyses& analyses, Work work) {
    for (std::size_t i = 0; i < analyses.device_count(); ++i) work(analyses.device(i));
}

/// Idle memory after one event of a device.
struct HolesOfMoment {
    const DeviceAnalyses* device = nullptr;
    std::uint32_t moment = 0;
    const HolesRow* holes = nullptr;
};

const RowColumns<HolesOfMoment>& holes_columns() {
    static const RowColumns<HolesOfMoment> all = {
        {device_doc(), [](const HolesOfMoment& row) -> Cell { return device_cell(*row.device); }},
        {integer_doc("event_id", "events.id; NULL before the first event"),
         [](const HolesOfMoment& row) -> Cell { return integer_cell(row.device->event_id_of_moment(row.moment)); }},
        {integer_doc("step", "the step of this moment, to compare with alloc_step and free_step of allocations"),
         [](const HolesOfMoment& row) -> Cell { return size_cell(step_of_moment(row.device->timeline(), row.moment)); }},
        {integer_doc("reserved", "bytes of the default pool, in and between blocks"),
         [](const HolesOfMoment& row) -> Cell { return size_cell(row.holes->reserved); }},
        {integer_doc("idle", "of these, in no block"),
         [](const HolesOfMoment& row) -> Cell { return size_cell(row.holes->idle); }},
        {integer_doc("idle_pinned",
                     "of these, what torch.cuda.empty_cache() would not return, because of the blocks beside it"),
         [](const HolesOfMoment& row) -> Cell { return size_cell(row.holes->idle_pinned); }},
        {integer_doc("largest_hole", "the largest idle piece of the default pool, in bytes"),
         [](const HolesOfMoment& row) -> Cell { return size_cell(row.holes->largest_hole); }},
        {integer_doc("idle_private", "idle bytes of private pools (CUDA graphs, MemPool)"),
         [](const HolesOfMoment& row) -> Cell { return size_cell(row.holes->idle_private); }},
        {integer_doc("reserved_private", "bytes of private pools, in and between blocks"),
         [](const HolesOfMoment& row) -> Cell { return size_cell(row.holes->reserved_private); }}};
    return all;
}

/// Idle memory after every event of every device, read in place without copying the rows.
class HolesRows final : public FunctionRows {
public:
    static FunctionRowsPointer make(const AnalysesPointer& analyses) {
        auto rows = std::make_shared<HolesRows>();
        rows->analyses_ = analyses;
        std::size_t count = 0;
        for_all_devices(*analyses, [&](DeviceAnalyses& device) {
            rows->histories_.push_back(device.holes());
            rows->ends_.push_back(count += rows->histories_.back()->rows.size());
        });
        return rows;
    }
    std::size_t count() const override { return ends_.empty() ? 0 : ends_.back(); }
    Cell cell(std::size_t row, std::size_t column) const override {
        const auto index = static_cast<std::size_t>(std::ranges::upper_bound(ends_, row) - ends_.begin());
        const DeviceAnalyses& device = analyses_->device(index);
        const std::size_t place = row - (index == 0 ? 0 : ends_[index - 1]);
        const auto moment = static_cast<std::uint32_t>(histories_[index]->first_moment + place);
        return holes_columns()[column].read({&device, moment, &histories_[index]->rows[place]});
    }

private:
    AnalysesPointer analyses_;
    std::vector<std::shared_ptr<const HolesHistory>> histories_;
    std::vector<std::size_t> ends_;
};

TableFunction holes_table(const AnalysesPointer& analyses) {
    return {"holes",
            "Idle reserved memory before the first event and after each event, in bytes of blocks.",
            docs_of(holes_columns()),
            {},
            [analyses](Arguments) { return HolesRows::make(analyses); }};
}

/// A moment of a device: the number of its events that have happened.
struct MomentOfDevice {
    std::size_t device_index = 0;
    std::uint32_t moment = 0;
};

/// Returns the moments for the argument of a call such as `layout(17)`, an events.id. The argument -1 means every device
/// before its first event.
std::vector<MomentOfDevice> moments_asked(const Analyses& analyses, const char* function, Arguments arguments) {
    const auto* event = std::get_if<std::int64_t>(arguments.data());
    if (event == nullptr)
        throw Failure{{ErrorCode::bad_query, fmt::format("{0} needs the id of an event, as in {0}(17)", function)}};
    std::vector<MomentOfDevice> moments;
    for (std::size_t i = 0; i < analyses.device_count(); ++i) {
        const DeviceAnalyses& device = analyses.device(i);
        const auto events = static_cast<std::int64_t>(device.trace().events.size());
        const std::int64_t number = *event - device.event_id(0);
        if (*event == k_before_all) {
            moments.push_back({i, 0});
        } else if (number >= 0 && number < events) {
            moments.push_back({i, static_cast<std::uint32_t>(number) + 1});
        }
    }
    if (moments.empty() && *event != k_before_all)
        throw Failure{
            {ErrorCode::bad_query, fmt::format("there is no event {}; -1 stands for before the first event", *event)}};
    return moments;
}

/// Returns the moments as moments_asked() does. Fails if a device has no layouts.
std::vector<MomentOfDevice> layouts_asked(const Analyses& analyses, const char* function, Arguments arguments) {
    auto moments = moments_asked(analyses, function, arguments);
    for (const auto& [index, moment] : moments) {
        if (const std::string why = analyses.device(index).why_no_layouts(); !why.empty())
            throw Failure{{ErrorCode::bad_query, why}};
    }
    return moments;
}

/// A block or a hole of a device at one moment.
struct LayoutRow {
    const DeviceAnalyses* device = nullptr;
    std::shared_ptr<const AddressSpace> space;
    std::optional<AddressRange> range;  ///< Segment or mapped run; nullopt for a block outside of all of them
    AddressMoment::Block block;
    bool is_hole = false;

    const AddressFacts& facts() const { return space->facts(); }
    AllocationId id() const { return block.allocation; }
    template <typename Read>
    Cell of_range(Read read) const {
        return range ? Cell(read(*range)) : Cell();
    }
};

void add_layout_rows(const LayoutRow& sample, std::uint32_t moment, std::vector<LayoutRow>& rows) {
    const AddressMoment then = sample.space->at(moment);
    const auto add = [&](const AddressRange* range, const AddressMoment::Block& block, bool is_hole) {
        LayoutRow row = sample;
        if (range != nullptr) row.range = *range;
        row.block = block;
        row.is_hole = is_hole;
        rows.push_back(std::move(row));
    };
    for (const AddressMoment::Range& range : then.ranges) {
        const auto first = static_cast<std::ptrdiff_t>(rows.size());
        for (const AddressMoment::Block& block : then.blocks_of(range)) add(&range.range, block, false);
        for_each_hole(then, range, [&](const Hole& hole) {
            add(&range.range, {hole.begin, hole.size_bytes(), {}, false}, true);
        });
        std::ranges::stable_sort(rows.begin() + first, rows.end(), {},
                                 [](const LayoutRow& row) { return row.block.address; });
    }
    for (const AddressMoment::Block& block : then.outside) add(nullptr, block, false);
}

const RowColumns<LayoutRow>& layout_columns() {
    static const RowColumns<LayoutRow> all = {
        {device_doc(), [](const LayoutRow& row) -> Cell { return device_cell(*row.device); }},
        {integer_doc("segment",
                     "address of the segment that contains it, or of the mapped run of an expandable segment; NULL if it is "
                     "live according to the events but lies in no segment"),
         [](const LayoutRow& row) -> Cell {
             return row.of_range([](const AddressRange& range) { return static_cast<std::int64_t>(range.address); });
         }},
        {integer_doc("segment_size", "bytes of that segment or run"),
         [](const LayoutRow& row) -> Cell {
             return row.of_range([](const AddressRange& range) { return static_cast<std::int64_t>(range.size_bytes); });
         }},
        {integer_doc("stream", "raw stream handle of the segment"),
         [](const LayoutRow& row) -> Cell {
             return row.of_range([&](const AddressRange& range) {
                 return static_cast<std::int64_t>(row.facts().snapshot.streams[range.traits.stream]);
             });
         }},
        {text_doc("pool", "pool of the segment, as '(0, 0)'"),
         [](const LayoutRow& row) -> Cell {
             return row.of_range([&](const AddressRange& range) { return row.facts().pools.text(range.traits.pool); });
         }},
        {text_doc("kind", "'small' or 'large', for the segment"),
         [](const LayoutRow& row) -> Cell {
             return row.of_range(
                 [](const AddressRange& range) { return std::string(range.traits.is_small ? "small" : "large"); });
         }},
        {integer_doc("is_expandable", "1 if the segment is expandable, otherwise 0"),
         [](const LayoutRow& row) -> Cell {
             return row.of_range([](const AddressRange& range) { return std::int64_t{range.traits.is_expandable ? 1 : 0}; });
         }},
        {integer_doc("address", "address of the first byte"),
         [](const LayoutRow& row) -> Cell { return size_cell(row.block.address); }},
        {integer_doc("size", "bytes of the block, or of the hole"),
         [](const LayoutRow& row) -> Cell { return size_cell(row.block.size_bytes); }},
        {integer_doc("requested", "bytes that were requested; NULL for holes and where unknown"),
         [](const LayoutRow& row) -> Cell {
             return row.id().is_some() ? size_cell(row.facts().trace.allocations.size_bytes[row.id().value]) : Cell();
         }},
        {text_doc("state", "'live', 'awaiting_free' (freed, but another stream may still use it) or 'hole'"),
         [](const LayoutRow& row) -> Cell {
             return std::string(row.is_hole ? "hole" : row.block.is_pending ? "awaiting_free" : "live");
         }},
        {integer_doc("allocation_id", "allocations.id; NULL for holes and where unknown"), [](const LayoutRow& row) -> Cell {
             return row.id().is_some() ? Cell(row.device->allocation_id(row.id())) : Cell();
         }}};
    return all;
}

const char* const k_event_doc = "events.id; -1 stands for before the first event of every device";

TableFunction layout_table(const AnalysesPointer& analyses) {
    return {"layout",
            "The memory layout of a device right after an event: every block and every hole, by address.",
            docs_of(layout_columns()),
            {integer_doc("event", k_event_doc)},
            [analyses](Arguments arguments) {
                const auto moments = layouts_asked(*analyses, "layout", arguments);
                std::vector<LayoutRow> rows;
                for (const auto& [index, moment] : moments) {
                    const auto space = analyses->device(index).address_space();
                    add_layout_rows({&analyses->device(index), space, {}, {}, false}, moment, rows);
                }
                return list_rows(std::move(rows), layout_columns());
            }};
}

struct PinRow {
    const DeviceAnalyses* device = nullptr;
    PinningBlock pin;

    AllocationId id() const { return pin.block.allocation; }
};

const RowColumns<PinRow>& pin_columns() {
    static const RowColumns<PinRow> all = {
        {device_doc(), [](const PinRow& row) -> Cell { return device_cell(*row.device); }},
        {integer_doc("allocation_id", "allocations.id; NULL where unknown"),
         [](const PinRow& row) -> Cell { return row.id().is_some() ? Cell(row.device->allocation_id(row.id())) : Cell(); }},
        {integer_doc("address", "address of the first byte"),
         [](const PinRow& row) -> Cell { return size_cell(row.pin.block.address); }},
        {integer_doc("size", "bytes of the block"),
         [](const PinRow& row) -> Cell { return size_cell(row.pin.block.size_bytes); }},
        {integer_doc("segment", "address of the segment that contains it"),
         [](const PinRow& row) -> Cell { return size_cell(row.pin.range_address); }},
        {integer_doc("hole_without_it",
                     "bytes of the hole there would be without the block: the block and the holes next to it"),
         [](const PinRow& row) -> Cell { return size_cell(row.pin.hole_without_it); }},
        {integer_doc("gain", "how much larger that hole would be than the larger of the two existing holes"),
         [](const PinRow& row) -> Cell { return size_cell(row.pin.gain_bytes); }},
        {integer_doc("released",
                     "bytes that would be returned to the driver: the whole segment if nothing else is in it, or whole "
                     "pages of an expandable segment"),
         [](const PinRow& row) -> Cell { return size_cell(row.pin.released_bytes); }},
        {integer_doc("is_pending", "1 if it was freed, but another stream may still use it"),
         [](const PinRow& row) -> Cell { return std::int64_t{row.pin.block.is_pending ? 1 : 0}; }}};
    return all;
}

TableFunction pins_table(const AnalysesPointer& analyses) {
    return {
        "pins",
        "The blocks next to a hole that torch.cuda.empty_cache() would leave right after an event, and what would become "
        "free without each: sorted by the bytes returned to the driver, then by the size of the hole.",
        docs_of(pin_columns()),
        {integer_doc("event", k_event_doc)},
        [analyses](Arguments arguments) {
            const auto moments = layouts_asked(*analyses, "pins", arguments);
            std::vector<PinRow> rows;
            for (const auto& [index, moment] : moments) {
                const DeviceAnalyses& device = analyses->device(index);
                const auto space = analyses->device(index).address_space();
                for (PinningBlock& pin : pins_at(*space, space->at(moment)).blocks) rows.push_back({&device, pin});
            }
            return list_rows(std::move(rows), pin_columns());
        }};
}

/// Changes of one stack's memory between two moments of a device.
struct BetweenRow {
    const DeviceAnalyses* device = nullptr;
    StackId stack;
    std::string source;
    std::array<LiveShare, 3> shares = {};  ///< Memory that came, went and stayed

    bool has_stack() const { return stack.is_some() && stack != k_before_recording; }
};

void add_between_rows(const DeviceAnalyses& device, const StackLines& lines, std::uint32_t first_tick,
                      std::uint32_t second_tick, std::vector<BetweenRow>& rows) {
    const Timeline& timeline = device.timeline();
    const MomentChanges changes = changes_between(timeline, first_tick, second_tick);
    std::map<std::uint32_t, BetweenRow> by_stack;
    const std::array lists = {&changes.came, &changes.went, &changes.stayed};
    for (std::size_t i = 0; i < lists.size(); ++i) {
        for (const StackTotal& total : totals_by_stack(timeline, *lists[i])) {
            BetweenRow& row = by_stack[total.stack.value];
            row.stack = total.stack;
            row.shares[i] = {total.count, total.bytes};
        }
    }
    const auto first = static_cast<std::ptrdiff_t>(rows.size());
    for (auto& [stack, row] : by_stack) {
        row.device = &device;
        row.source = row.stack == k_before_recording ? "(allocated before the recording)" : lines.source(row.stack);
        rows.push_back(std::move(row));
    }
    std::stable_sort(rows.begin() + first, rows.end(), [](const BetweenRow& a, const BetweenRow& b) {
        const auto bytes = [](const BetweenRow& row) {
            return std::tuple(row.shares[0].bytes, row.shares[1].bytes, row.shares[2].bytes);
        };
        return bytes(a) > bytes(b);
    });
}

const RowColumns<BetweenRow>& between_columns() {
    static const RowColumns<BetweenRow> all = {
        {device_doc(), [](const BetweenRow& row) -> Cell { return device_cell(*row.device); }},
        {integer_doc("stack_id", "stacks.id of the allocation; NULL if none was recorded"),
         [](const BetweenRow& row) -> Cell { return row.has_stack() ? Cell(std::int64_t{row.stack.value}) : Cell(); }},
        {text_doc("source", "stacks.top_frame, or a description where there is no stack"),
         [](const BetweenRow& row) -> Cell { return row.source; }},
        {integer_doc("came", "bytes live at the second moment but not at the first, as requested"),
         [](const BetweenRow& row) -> Cell { return size_cell(row.shares[0].bytes); }},
        {integer_doc("came_count", "the number of these allocations"),
         [](const BetweenRow& row) -> Cell { return size_cell(row.shares[0].count); }},
        {integer_doc("went", "bytes live at the first moment but not at the second"),
         [](const BetweenRow& row) -> Cell { return size_cell(row.shares[1].bytes); }},
        {integer_doc("went_count", "the number of these allocations"),
         [](const BetweenRow& row) -> Cell { return size_cell(row.shares[1].count); }},
        {integer_doc("stayed", "bytes live at both moments"),
         [](const BetweenRow& row) -> Cell { return size_cell(row.shares[2].bytes); }},
        {integer_doc("stayed_count", "the number of these allocations"),
         [](const BetweenRow& row) -> Cell { return size_cell(row.shares[2].count); }}};
    return all;
}

/// Two moments of one device.
struct TwoMoments {
    std::size_t device_index = 0;
    std::uint32_t first = 0, second = 0;
};

/// Returns the moments for the arguments of a call such as `changes_between(17, 90)`. Both events must be events of the same
/// device; -1 means the time before the first event of each device.
std::vector<TwoMoments> two_moments_asked(const Analyses& analyses, Arguments arguments) {
    const auto is_event = [](const Cell& argument) { return std::holds_alternative<std::int64_t>(argument); };
    if (arguments.size() < 2 || !std::ranges::all_of(arguments, is_event))
        throw Failure{{ErrorCode::bad_query, "changes_between needs the ids of two events, as in changes_between(17, 90)"}};
    const auto first = moments_asked(analyses, "changes_between", arguments.first(1));
    const auto second = moments_asked(analyses, "changes_between", arguments.subspan(1));
    std::vector<TwoMoments> both;
    for (const MomentOfDevice& a : first) {
        for (const MomentOfDevice& b : second) {
            if (a.device_index == b.device_index) both.push_back({a.device_index, a.moment, b.moment});
        }
    }
    if (both.empty()) throw Failure{{ErrorCode::bad_query, "changes_between needs two events of the same device"}};
    return both;
}

TableFunction between_table(const AnalysesPointer& analyses) {
    return {"changes_between",
            "Compares two moments, each right after an event: by stack, what is live only at the second, only at the first, "
            "and at both. Stacks with the most new bytes come first, then those with the most bytes gone.",
            docs_of(between_columns()),
            {integer_doc("event_a", k_event_doc), integer_doc("event_b", "the same for the second moment")},
            [analyses](Arguments arguments) {
                const auto asked = two_moments_asked(*analyses, arguments);
                std::vector<BetweenRow> rows;
                for (const TwoMoments& each : asked) {
                    DeviceAnalyses& device = analyses->device(each.device_index);
                    const auto lines = device.stack_lines();
                    const Timeline& timeline = device.timeline();
                    add_between_rows(device, *lines, tick_of_moment(timeline, each.first),
                                     tick_of_moment(timeline, each.second), rows);
                }
                return list_rows(std::move(rows), between_columns());
            }};
}

struct FindingRow {
    const DeviceAnalyses* device = nullptr;
    std::shared_ptr<const std::vector<DeviceFinding>> findings;  ///< Keeps `finding` alive
    const DeviceFinding* finding = nullptr;
    std::int64_t id = 0;
};

Cell text_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

const RowColumns<FindingRow>& finding_columns() {
    static const RowColumns<FindingRow> all = {
        {integer_doc("id", "counts across all devices, from 0"), [](const FindingRow& row) -> Cell { return row.id; }},
        {device_doc(), [](const FindingRow& row) -> Cell { return device_cell(*row.device); }},
        {text_doc("severity", "'error', 'warning', 'notice' or 'info'"),
         [](const FindingRow& row) -> Cell { return std::string(finding_severity_name(row.finding->severity)); }},
        {text_doc("code", "'oom_capacity', 'leak', ..."), [](const FindingRow& row) -> Cell { return row.finding->code; }},
        {text_doc("sentence", "in words"), [](const FindingRow& row) -> Cell { return row.finding->sentence; }},
        {text_doc("hint", "what to do about it; NULL if there is nothing to advise"),
         [](const FindingRow& row) -> Cell { return text_cell(row.finding->hint); }},
        {integer_doc("bytes", "how much memory it is about"),
         [](const FindingRow& row) -> Cell { return size_cell(row.finding->bytes); }},
        {integer_doc("event_id",
                     "events.id of the event after which to look; NULL for the whole recording or its beginning"),
         [](const FindingRow& row) -> Cell {
             return row.finding->moment ? integer_cell(row.device->event_id_of_moment(*row.finding->moment)) : Cell();
         }},
        {integer_doc("step", "where that is in the picture; NULL for the whole recording"),
         [](const FindingRow& row) -> Cell {
             return row.finding->moment ? size_cell(step_of_moment(row.device->timeline(), *row.finding->moment)) : Cell();
         }},
        {text_doc("allocations", "some of the allocations it is about, as a JSON list of allocations.id"),
         [](const FindingRow& row) -> Cell {
             std::string ids;
             const DeviceFinding& finding = *row.finding;
             for (const AllocationId id : std::span(finding.allocations).first(finding.named_allocations))
                 ids += fmt::format("{}{}", ids.empty() ? "" : ",", row.device->allocation_id(id));
             return fmt::format("[{}]", ids);
         }},
        {text_doc(
             "sql",
             "a query for the table behind the sentence, whose column `bytes` adds up to the bytes of the finding; NULL if "
             "there is none"),
         [](const FindingRow& row) -> Cell { return text_cell(row.finding->sql); }}};
    return all;
}

TableFunction findings_table(const AnalysesPointer& analyses) {
    return {"findings",
            "What is worth looking at first, sorted by severity and bytes within a device; docs/analyses.md explains each "
            "finding.",
            docs_of(finding_columns()),
            {},
            [analyses](Arguments) {
                std::vector<FindingRow> rows;
                for_all_devices(*analyses, [&](DeviceAnalyses& device) {
                    const auto found = device.findings();
                    for (const DeviceFinding& finding : *found)
                        rows.push_back({&device, found, &finding, static_cast<std::int64_t>(rows.size())});
                });
                return list_rows(std::move(rows), finding_columns());
            }};
}

AddedColumn block_bytes_column(const AnalysesPointer& analyses) {
    return {"allocations",
            "id",
            "alloc_step",
            "block_bytes",
            "bytes of the block it was given: as the file lists it, otherwise by the allocator's rules for rounding and "
            "splitting; NULL where blocks are unknown",
            false,
            [analyses] { for_all_devices(*analyses, [](DeviceAnalyses& device) { device.address_space(); }); },
            [analyses](std::int64_t id) -> Cell {
                for (std::size_t i = analyses->device_count(); i-- > 0;) {
                    DeviceAnalyses& device = analyses->device(i);
                    const std::int64_t row = id - device.allocation_id(AllocationId{0});
                    if (row < 0) continue;
                    if (!device.tells_of_blocks()) return {};
                    const auto space = device.address_space();
                    return size_cell(space->block_size(AllocationId{static_cast<std::uint32_t>(row)}).bytes);
                }
                return {};
            }};
}

/// Creates a column of the table `markers` about why memory ran out. `read` returns its text; an empty text becomes NULL.
AddedColumn verdict_column(const AnalysesPointer& analyses, const char* name, const char* doc,
                           std::string (*read)(const OomVerdict&)) {
    return {"markers",
            "event_id",
            "",
            name,
            doc,
            true,
            [analyses] { for_all_devices(*analyses, [](DeviceAnalyses& device) { device.oom(); }); },
            [analyses, read](std::int64_t id) -> Cell {
                for (std::size_t i = 0; i < analyses->device_count(); ++i) {
                    const auto report = analyses->device(i).oom();
                    const std::int64_t event = id - analyses->device(i).event_id(0);
                    const auto& verdicts = report->verdicts;
                    const auto found = std::ranges::lower_bound(
                        verdicts, event, {}, [](const OomVerdict& verdict) { return std::int64_t{verdict.event}; });
                    if (found == verdicts.end() || std::int64_t{found->event} != event) continue;
                    std::string text = read(*found);
                    return text.empty() ? Cell() : Cell(std::move(text));
                }
                return {};
            }};
}

}  // namespace

AddedTables analysis_tables(std::shared_ptr<const Analyses> analyses) {
    AddedTables added;
    added.tables = step_tables(analyses);
    for (auto table : {device_memory_table, pool_use_table}) added.tables.push_back(table(analyses));
    for (auto table : {modules_table, contradictions_table}) added.tables.push_back(table(analyses));
    for (auto table : {findings_table, holes_table, layout_table, pins_table, between_table})
        added.tables.push_back(table(analyses));
    added.columns = {
        block_bytes_column(analyses), module_column(analyses),
        verdict_column(analyses, "cause",
                       "for 'oom': the cause, one of 'unknown', 'limit', 'too_large', 'pending', 'private_pools', "
                       "'unreleased', 'fragmentation', 'outside', 'mixed' or 'capacity'; otherwise NULL",
                       [](const OomVerdict& verdict) { return std::string(oom_cause_name(verdict.cause)); }),
        verdict_column(analyses, "sentence", "for 'oom': the cause in a sentence",
                       [](const OomVerdict& verdict) { return verdict.sentence; }),
        verdict_column(analyses, "hint", "for 'oom': what to do about it; NULL if there is nothing to advise",
                       [](const OomVerdict& verdict) { return verdict.hint; })};
    return added;
}

}  // namespace snapviewer
