// Which MALLOC and FREE belong together.
#include <algorithm>
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
        hal_device_ = lone_hal_device();
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

    /// The only device of which there is memory of HAL; k_no_device if there are none or several.
    std::int32_t lone_hal_device() const {
        std::int32_t found = k_no_device;
        for (const Change& change : dump_.changes) {
            if (change.is_free || !is_hal(change.type) || change.device < 0 || change.device == found) continue;
            if (found != k_no_device) return k_no_device;
            found = change.device;
        }
        return found;
    }

    std::uint32_t part_of(std::int32_t device, std::uint16_t type) {
        const auto key = static_cast<std::size_t>(device - k_host);
        if (part_numbers_.size() <= type) part_numbers_.resize(dump_.types.size());
        std::vector<std::uint32_t>& of_type = part_numbers_[type];
        if (of_type.size() <= key) of_type.resize(key + 1, k_none);
        if (of_type[key] == k_none) {
            if (out_.parts.size() >= limits::k_devices) fail("names more than 1024 kinds of memory and devices");
            of_type[key] = static_cast<std::uint32_t>(out_.parts.size());
            out_.parts.push_back({device, type});
        }
        return of_type[key];
    }

    /// By device, then as the kinds came.
    void sort_parts() {
        std::vector<Part> sorted = out_.parts;
        std::ranges::sort(sorted, {}, [](const Part& part) { return std::pair(part.device, part.type); });
        for (std::uint32_t i = 0; i < sorted.size(); ++i)
            part_numbers_[sorted[i].type][static_cast<std::size_t>(sorted[i].device - k_host)] = i;
        for (Block& block : out_.blocks) {
            const Part& part = out_.parts[block.part];
            block.part = part_of(part.device, part.type);
        }
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
            if (device_of(open) != change.device) continue;
            ++repeated_;
            return;
        }
        add_block({part_of(change.device, change.type), index, k_none}, index);
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
            // Of HAL, it was the only device's there is, if there is but one.
            const bool is_unnamed = is_hal(change.type) && change.device == k_no_device;
            add_block({part_of(is_unnamed ? hal_device_ : change.device, change.type), k_none, index}, index);
            return;
        }
        const std::uint32_t block = *link;
        *link = below_[block];
        if (found->second == k_none) open_.erase(found);
        out_.blocks[block].free = index;
        out_.of_change[index] = block;
    }

    /// What names the block that a free ends, in the chain of those that are open at its address; null if none is.
    std::uint32_t* link_to(std::uint32_t& top, const Change& change) {
        const bool any_device = is_hal(change.type) && change.device == k_no_device;
        std::uint32_t* link = &top;
        while (*link != k_none && !any_device && device_of(*link) != change.device) link = &below_[*link];
        if (*link == k_none && is_hal(change.type)) {
            link = &top;
            while (*link != k_none && device_of(*link) != k_no_device) link = &below_[*link];
        }
        return *link == k_none ? nullptr : link;
    }

    std::int32_t device_of(std::uint32_t block) const { return out_.parts[out_.blocks[block].part].device; }

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
    std::int32_t hal_device_ = k_no_device;
    std::vector<std::vector<std::uint32_t>> part_numbers_;      ///< by type, then device
    std::unordered_map<Place, std::uint32_t, HashPlace> open_;  ///< the newest open block of a place
    std::vector<std::uint32_t> below_;                          ///< parallel to blocks: the next older one there
    std::uint64_t repeated_ = 0;
    std::uint64_t lone_ = 0;
    std::uint64_t lone_without_size_ = 0;
};

}  // namespace

Blocks pair_changes(const Dump& dump, ImportLog& log) { return Pairing(dump, log).run(); }

}  // namespace snapviewer::memscope
