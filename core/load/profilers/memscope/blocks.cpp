#include "core/load/profilers/memscope/dump.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/base/hash.h"
#include "core/base/limits.h"
#include "core/load/bytes/sources.h"

// Builds the parts of a snapshot from blocks.
namespace snapviewer::profilers::memscope {
namespace {

bool has_totals(const Change& change) { return change.used_bytes >= 0 && change.total_bytes >= 0; }

class PartsBuilder {
public:
    PartsBuilder(const Dump& dump, const Blocks& blocks, Snapshot& snapshot)
        : dump_(dump), blocks_(blocks), snapshot_(snapshot), counts_(blocks.parts.size()), built_(blocks.parts.size()) {}

    std::vector<BuiltPart> run() {
        if (snapshot_.streams.empty()) snapshot_.streams.push_back(0);  // The file format has no streams.
        count();
        find_rests();
        add_allocations();
        add_events();
        add_totals();
        return std::move(built_);
    }

private:
    struct Counts {
        std::uint32_t rest = 0;  ///< 1 if the part has an allocation for memory that is in no row, else 0
        std::uint32_t before = 0;
        std::uint32_t recorded = 0;
        std::int64_t before_bytes = 0;
        std::int64_t rest_bytes = 0;
    };

    void count() {
        for (const Block& block : blocks_.blocks) {
            Counts& counts = counts_[block.part];
            ++(block.alloc == k_none ? counts.before : counts.recorded);
            if (block.alloc == k_none) counts.before_bytes += dump_.changes[block.free].size_bytes;
        }
    }

    /// Computes for each part the memory that the allocator reports in use beyond the known blocks. The minimum over time
    /// was allocated throughout the recording.
    void find_rests() {
        std::vector<std::int64_t> live_bytes;
        for (const Counts& counts : counts_) live_bytes.push_back(counts.before_bytes);
        std::vector<std::int64_t> rest_bytes(counts_.size(), -1);
        for (std::uint32_t i = 0; i < dump_.changes.size(); ++i) {
            if (blocks_.of_change[i] == k_none) continue;
            const Block& block = blocks_.blocks[blocks_.of_change[i]];
            live_bytes[block.part] += block.free == i ? -size_of(block) : size_of(block);
            const Change& change = dump_.changes[i];
            if (!has_totals(change)) continue;
            const std::int64_t beyond = std::clamp<std::int64_t>(
                std::min(change.used_bytes, limits::k_profiled_block_bytes) - live_bytes[block.part], 0,
                limits::k_profiled_block_bytes);
            std::int64_t& rest = rest_bytes[block.part];
            rest = rest < 0 ? beyond : std::min(rest, beyond);
        }
        for (std::size_t part = 0; part < counts_.size(); ++part) {
            if (rest_bytes[part] <= 0) continue;
            counts_[part].rest = 1;
            counts_[part].rest_bytes = rest_bytes[part];
        }
    }

    std::int64_t size_of(const Block& block) const {
        return dump_.changes[block.alloc == k_none ? block.free : block.alloc].size_bytes;
    }

    /// Adds the allocations in drawing order, bottom first: memory that no row lists, then the blocks allocated before the
    /// recording, longest-lived first, then the others by start.
    void add_allocations() {
        for (std::size_t part = 0; part < counts_.size(); ++part) {
            const Counts& counts = counts_[part];
            BuiltPart& built = built_[part];
            built.trace.allocations_are_given = true;
            built.trace.initial_count = counts.rest + counts.before;
            built.trace.allocations.reserve(std::size_t{built.trace.initial_count} + counts.recorded);
            if (counts.rest == 0) continue;
            built.trace.allocations.push(
                {.size_bytes = static_cast<std::uint64_t>(counts.rest_bytes), .origin = Origin::derived});
            built.rows.allocs.push_back(k_below_all);
            built.rows.frees.push_back(k_below_all);
        }
        allocation_of_.resize(blocks_.blocks.size());
        for (std::size_t block = blocks_.blocks.size(); block-- > 0;) {
            if (blocks_.blocks[block].alloc == k_none) add_allocation(block);
        }
        for (std::size_t block = 0; block < blocks_.blocks.size(); ++block) {
            if (blocks_.blocks[block].alloc != k_none) add_allocation(block);
        }
    }

    void add_allocation(std::size_t index) {
        const Block& block = blocks_.blocks[index];
        const bool is_recorded = block.alloc != k_none;
        const Change& known = dump_.changes[is_recorded ? block.alloc : block.free];
        BuiltPart& built = built_[block.part];
        allocation_of_[index] = AllocationId{static_cast<std::uint32_t>(built.trace.allocations.size())};
        built.trace.allocations.push({.address = known.address,
                                      .size_bytes = static_cast<std::uint64_t>(known.size_bytes),
                                      .origin = is_recorded ? Origin::alloc : Origin::freed,
                                      .state = block.free == k_none ? AllocationState::live : AllocationState::freed,
                                      .stack = known.stack});
        built.rows.allocs.push_back(is_recorded ? known.row : 0);
        built.rows.frees.push_back(block.free == k_none ? 0 : dump_.changes[block.free].row);
    }

    void add_events() {
        for (std::size_t part = 0; part < counts_.size(); ++part) {
            DeviceTrace& trace = built_[part].trace;
            const std::size_t events = counts_[part].before + 2 * std::size_t{counts_[part].recorded};
            trace.events.reserve(events);
            trace.actions.reserve(events);
        }
        for (std::uint32_t i = 0; i < dump_.changes.size(); ++i) {
            if (blocks_.of_change[i] == k_none) continue;
            const std::uint32_t index = blocks_.of_change[i];
            const Block& block = blocks_.blocks[index];
            const Change& change = dump_.changes[i];
            DeviceTrace& trace = built_[block.part].trace;
            const AllocationId allocation = allocation_of_[index];
            add_event(trace, block.free == i ? Action::free_completed : Action::alloc, allocation, us_of(change.time_ns),
                      change.stack, category_of(block));
            trace.actions.push_back(allocation);
        }
    }

    MetadataId category_of(const Block& block) {
        StringId name = block.alloc == k_none ? StringId::none() : dump_.changes[block.alloc].owner;
        if (!name.is_some()) name = snapshot_.strings.intern(dump_.types[blocks_.parts[block.part].type]);
        const auto [known, is_new] = categories_.try_emplace(name.value);
        if (is_new) {
            known->second = MetadataId{static_cast<std::uint32_t>(snapshot_.metadata.size())};
            snapshot_.metadata.emplace_back().category = name;
        }
        return known->second;
    }

    /// Adds the allocators' own totals as curves over the picture.
    void add_totals() {
        for (std::size_t part = 0; part < counts_.size(); ++part) {
            const std::string& type = dump_.types[blocks_.parts[part].type];
            std::string id = type;
            std::ranges::transform(id, id.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            built_[part].trace.memory_series = {
                {type + " Allocated", Unit::bytes, {}, {}, SeriesShape::line, CurveRole::allocated, id + "_allocated"},
                {type + " Reserved", Unit::bytes, {}, {}, SeriesShape::line, CurveRole::reserved, id + "_reserved"}};
        }
        for (std::uint32_t i = 0; i < dump_.changes.size(); ++i) {
            const Change& change = dump_.changes[i];
            if (blocks_.of_change[i] == k_none || !has_totals(change)) continue;
            std::vector<Series>& series = built_[blocks_.blocks[blocks_.of_change[i]].part].trace.memory_series;
            add_point(series[0], change.time_ns, change.used_bytes);
            add_point(series[1], change.time_ns, change.total_bytes);
        }
        for (BuiltPart& built : built_) {
            if (built.trace.memory_series.front().values.empty()) built.trace.memory_series.clear();
        }
    }

    static void add_point(Series& series, std::int64_t time_ns, std::int64_t bytes) {
        const auto value = static_cast<double>(std::min(bytes, limits::k_profiled_bytes));
        if (!series.values.empty() && series.values.back() == value) return;
        series.time_us.push_back(us_of(time_ns));
        series.values.push_back(value);
    }

    const Dump& dump_;
    const Blocks& blocks_;
    Snapshot& snapshot_;
    std::vector<Counts> counts_;
    std::vector<BuiltPart> built_;
    std::vector<AllocationId> allocation_of_;  ///< allocation of each block
    std::unordered_map<std::uint32_t, MetadataId> categories_;
};

}  // namespace

std::vector<BuiltPart> build_parts(const Dump& dump, const Blocks& blocks, Snapshot& snapshot) {
    return PartsBuilder(dump, blocks, snapshot).run();
}

// Pairs MALLOC and FREE rows.

namespace {

class Pairing {
public:
    Pairing(const Dump& dump, ImportLog& log) : dump_(dump), log_(log) {}

    Blocks run() {
        find_hal_devices();
        out_.of_change.assign(dump_.changes.size(), k_none);
        for (std::uint32_t i = 0; i < dump_.changes.size(); ++i) {
            if (dump_.changes[i].is_free) {
                take_free(i);
            } else {
                take_malloc(i);
            }
        }
        sort_parts();
        log_counts();
        return std::move(out_);
    }

private:
    bool is_hal(std::uint16_t type) const { return dump_.types[type] == "HAL"; }

    /// Finds the device of each process whose HAL memory is on one device only; k_no_device if it is on several.
    void find_hal_devices() {
        for (const Change& change : dump_.changes) {
            if (change.is_free || !is_hal(change.type) || change.device < 0) continue;
            const auto [found, is_new] = hal_devices_.try_emplace(change.process, change.device);
            if (!is_new && found->second != change.device) found->second = k_no_device;
        }
    }

    std::int32_t hal_device_of(std::int64_t process) const {
        const auto found = hal_devices_.find(process);
        return found == hal_devices_.end() ? k_no_device : found->second;
    }

    std::uint32_t part_of(const Part& part) {
        const auto [found, is_new] = part_numbers_.try_emplace(part, static_cast<std::uint32_t>(out_.parts.size()));
        if (is_new) {
            if (out_.parts.size() >= limits::k_devices)
                bytes::fail("has more than 1024 kinds of memory, counting each device and process separately");
            out_.parts.push_back(part);
        }
        return found->second;
    }

    void sort_parts() {
        std::vector<std::uint32_t> places(out_.parts.size());
        std::vector<Part> sorted;
        for (const auto& [part, number] : part_numbers_) {
            places[number] = static_cast<std::uint32_t>(sorted.size());
            sorted.push_back(part);
        }
        for (Block& block : out_.blocks) block.part = places[block.part];
        out_.parts = std::move(sorted);
    }

    void add_block(const Block& block, std::uint32_t change) {
        out_.of_change[change] = static_cast<std::uint32_t>(out_.blocks.size());
        out_.blocks.push_back(block);
        below_.push_back(k_none);
    }

    void take_malloc(std::uint32_t index) {
        const Change& change = dump_.changes[index];
        std::uint32_t& top = open_.try_emplace({change.address, change.type}, k_none).first->second;
        for (std::uint32_t open = top; open != k_none; open = below_[open]) {
            if (device_of(open) != change.device || !is_of_same_process(open, change)) continue;
            ++repeated_;
            return;
        }
        add_block({part_of({change.device, change.type, change.process}), index, k_none}, index);
        below_.back() = top;
        top = static_cast<std::uint32_t>(out_.blocks.size() - 1);
    }

    void take_free(std::uint32_t index) {
        const Change& change = dump_.changes[index];
        const auto found = open_.find({change.address, change.type});
        std::uint32_t* link = found == open_.end() ? nullptr : link_to(found->second, change);
        if (link == nullptr) {
            if (change.size_bytes == 0) {
                ++unmatched_frees_without_size_;
                return;
            }
            ++unmatched_frees_;
            // A lone HAL row without a device belongs to the process's device, if the process uses only one.
            const bool is_unnamed = is_hal(change.type) && change.device == k_no_device;
            const std::int32_t device = is_unnamed ? hal_device_of(change.process) : change.device;
            add_block({part_of({device, change.type, change.process}), k_none, index}, index);
            return;
        }
        const std::uint32_t block = *link;
        *link = below_[block];
        if (found->second == k_none) open_.erase(found);
        out_.blocks[block].free = index;
        out_.of_change[index] = block;
    }

    /// Finds the block that a FREE ends, among the open blocks at its address. Returns the link to it in the list, so that
    /// the caller can unlink it; nullptr if there is none.
    std::uint32_t* link_to(std::uint32_t& top, const Change& change) {
        const auto find = [&](auto is_device) {
            std::uint32_t* link = &top;
            while (*link != k_none && !(is_device(device_of(*link)) && is_of_same_process(*link, change)))
                link = &below_[*link];
            return *link == k_none ? nullptr : link;
        };
        const bool any_device = is_hal(change.type) && change.device == k_no_device;
        std::uint32_t* link = find([&](std::int32_t device) { return any_device || device == change.device; });
        if (link == nullptr && is_hal(change.type)) link = find([](std::int32_t device) { return device == k_no_device; });
        return link;
    }

    std::int32_t device_of(std::uint32_t block) const { return out_.parts[out_.blocks[block].part].device; }

    /// True if the process of a block matches that of a row. Checked because two processes may use the same address for
    /// different memory.
    bool is_of_same_process(std::uint32_t block, const Change& change) const {
        const std::int64_t process = out_.parts[out_.blocks[block].part].process;
        return process == change.process || process == 0 || change.process == 0;
    }

    void log_counts() {
        if (repeated_ > 0)
            log_.add("duplicate_rows", {.count = repeated_},
                     {"rows that allocate an address still in use; as in MindStudio Insight, the first one counts"});
        if (unmatched_frees_ > 0)
            log_.add("freed_before_seen", {.count = unmatched_frees_},
                     {"blocks whose allocation was not recorded are freed; they were allocated before the recording and are "
                      "drawn from its beginning"});
        if (unmatched_frees_without_size_ > 0)
            log_.add(
                "release_without_allocation", {.count = unmatched_frees_without_size_},
                {"rows that free a block of unknown size whose allocation was not recorded; they are only in the table"});
    }

    const Dump& dump_;
    ImportLog& log_;
    Blocks out_;
    /// device of each process; k_no_device if it uses several
    std::unordered_map<std::int64_t, std::int32_t, KeyedHash> hal_devices_;
    std::map<Part, std::uint32_t> part_numbers_;  ///< index of each part in the order of discovery
    /// the newest open block at each address, by address and type
    std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t, KeyedPairHash> open_;
    /// Linked list, parallel to the blocks: the next older open block at the same address.
    std::vector<std::uint32_t> below_;
    std::uint64_t repeated_ = 0;
    std::uint64_t unmatched_frees_ = 0;
    std::uint64_t unmatched_frees_without_size_ = 0;
};

}  // namespace

Blocks pair_changes(const Dump& dump, ImportLog& log) { return Pairing(dump, log).run(); }

}  // namespace snapviewer::profilers::memscope
