// Pairs MALLOC and FREE rows.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/base/keyed_hash.h"
#include "core/load/failure.h"
#include "core/load/limits.h"
#include "core/load/profilers/memscope/blocks.h"

namespace snapviewer::memscope {
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
        tell();
        return std::move(out_);
    }

private:
    struct Place {
        std::uint64_t address;
        std::uint16_t type;
        bool operator==(const Place&) const = default;
    };
    struct HashPlace {
        KeyedHash hash;
        std::size_t operator()(const Place& place) const { return hash(place.address ^ std::uint64_t{place.type} << 48); }
    };

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
                fail("has more than 1024 kinds of memory, counting each device and process separately");
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
                ++lone_without_size_;
                return;
            }
            ++lone_;
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

    void tell() {
        if (repeated_ > 0)
            log_.add(ImportCode::duplicate_rows,
                     "rows that allocate an address still in use; as in MindStudio Insight, the first one counts", {},
                     repeated_);
        if (lone_ > 0)
            log_.add(ImportCode::freed_before_seen,
                     "blocks whose allocation was not recorded are freed; they were allocated before the recording and are "
                     "drawn from its beginning",
                     {}, lone_);
        if (lone_without_size_ > 0)
            log_.add(ImportCode::release_without_allocation,
                     "rows that free a block of unknown size whose allocation was not recorded; they are only in the table",
                     {}, lone_without_size_);
    }

    const Dump& dump_;
    ImportLog& log_;
    Blocks out_;
    /// device of each process; k_no_device if it uses several
    std::unordered_map<std::int64_t, std::int32_t, KeyedHash> hal_devices_;
    std::map<Part, std::uint32_t> part_numbers_;                ///< index of each part in the order of discovery
    std::unordered_map<Place, std::uint32_t, HashPlace> open_;  ///< the newest open block at each address
    /// Linked list, parallel to the blocks: the next older open block at the same address.
    std::vector<std::uint32_t> below_;
    std::uint64_t repeated_ = 0;
    std::uint64_t lone_ = 0;
    std::uint64_t lone_without_size_ = 0;
};

}  // namespace

Blocks pair_changes(const Dump& dump, ImportLog& log) { return Pairing(dump, log).run(); }

}  // namespace snapviewer::memscope
