#include "core/load/profilers/memscope/tracks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "core/base/keyed_hash.h"
#include "core/load/profilers/memscope/attributes.h"

namespace snapviewer::memscope {
namespace {

class OccurrencePairing {
public:
    OccurrencePairing(const Dump& dump, const Snapshot& snapshot) : dump_(dump), snapshot_(snapshot) {}

    std::vector<Stretch> run() {
        for (const Occurrence& occurrence : dump_.occurrences) {
            switch (occurrence.phase) {
                case Phase::moment: add(occurrence, occurrence.time_ns, occurrence.time_ns); break;
                case Phase::start: start(occurrence); break;
                case Phase::end: end(occurrence); break;
            }
        }
        return std::move(out_);
    }

private:
    /// The fields in which a start and its end agree.
    struct Key {
        Activity activity;
        std::int64_t process;
        std::int64_t thread;
        std::uint32_t name;
        std::uint32_t task;
        bool operator==(const Key&) const = default;
    };
    struct HashKey {
        KeyedHash hash;
        std::size_t operator()(const Key& key) const {
            const std::uint64_t names = std::uint64_t{key.name} << 32 | key.task;
            const std::uint64_t threads =
                static_cast<std::uint64_t>(key.process) * 31 + static_cast<std::uint64_t>(key.thread);
            return hash(hash(names) ^ threads ^ static_cast<std::uint64_t>(key.activity) << 60);
        }
    };

    static Key key_of(const Occurrence& o) {
        switch (o.activity) {
            case Activity::mstx: return {o.activity, o.process, o.thread, 0, 0};
            case Activity::kernel: return {o.activity, o.device, o.thread, o.name.value, o.task.value};
            default: return {o.activity, o.process, o.thread, o.name.value, 0};
        }
    }

    void add(const Occurrence& occurrence, std::int64_t start_ns, std::int64_t end_ns) {
        out_.push_back({start_ns, end_ns, occurrence.device, occurrence.process, occurrence.activity, occurrence.name});
    }

    void start(const Occurrence& occurrence) {
        open_[key_of(occurrence)].push_back(out_.size());
        if (occurrence.activity == Activity::mstx) ranges_[occurrence.process].push_back(out_.size());
        add(occurrence, occurrence.time_ns, k_no_ns);
    }

    void end(const Occurrence& occurrence) {
        if (occurrence.activity == Activity::mstx) {
            if (const auto range = named_range(occurrence)) {
                out_[*range].end_ns = occurrence.time_ns;
                return;
            }
        }
        const auto open = open_.find(key_of(occurrence));
        if (open != open_.end()) {
            std::vector<std::size_t>& stack = open->second;
            // These ranges were ended by their id.
            while (!stack.empty() && out_[stack.back()].end_ns != k_no_ns) stack.pop_back();
            if (!stack.empty()) {
                out_[stack.back()].end_ns = occurrence.time_ns;
                stack.pop_back();
                if (stack.empty()) open_.erase(open);
                return;
            }
        }
        add(occurrence, k_no_ns, occurrence.time_ns);
    }

    /// The range that a text such as "Range end from id 3" refers to: the third range that the process started. nullopt if
    /// there is none or it has ended.
    std::optional<std::size_t> named_range(const Occurrence& occurrence) const {
        constexpr std::string_view k_before_id = "Range end from id ";
        const std::string_view name = snapshot_.strings.view(occurrence.name);
        if (!name.starts_with(k_before_id)) return std::nullopt;
        const auto id = number_of(name.substr(k_before_id.size()));
        const auto ranges = ranges_.find(occurrence.process);
        if (!id || *id < 1 || ranges == ranges_.end() || static_cast<std::size_t>(*id) > ranges->second.size())
            return std::nullopt;
        const std::size_t range = ranges->second[static_cast<std::size_t>(*id) - 1];
        return out_[range].end_ns == k_no_ns ? std::optional(range) : std::nullopt;
    }

    const Dump& dump_;
    const Snapshot& snapshot_;
    std::vector<Stretch> out_;
    std::unordered_map<Key, std::vector<std::size_t>, HashKey> open_;
    /// Indices of the MSTX ranges of each process, in the order of their starts.
    std::unordered_map<std::int64_t, std::vector<std::size_t>, KeyedHash> ranges_;
};

struct KnownTrack {
    Activity activity;
    const char* name;
    const char* unnamed;  ///< Name shown for a range that has no name.
};
constexpr std::array k_tracks = {
    KnownTrack{Activity::mstx, "MSTX", "mark"}, KnownTrack{Activity::operation, "Operators", "operator"},
    KnownTrack{Activity::kernel, "Kernels", "kernel"}, KnownTrack{Activity::launch, "Kernel launches", "launch"}};

}  // namespace

std::vector<Stretch> pair_occurrences(const Dump& dump, const Snapshot& snapshot) {
    return OccurrencePairing(dump, snapshot).run();
}

std::vector<Track> activity_tracks(const std::vector<Stretch>& stretches, const Snapshot& snapshot, const Part& part,
                                   bool all) {
    std::vector<Track> tracks;
    for (const KnownTrack& known : k_tracks) {
        if (known.activity != Activity::mstx && !all) continue;
        Track track{known.name, {}, {}, {}};
        for (const Stretch& stretch : stretches) {
            const bool is_of_device = stretch.device == part.device || stretch.device == k_no_device || part.device < 0;
            const bool is_of_process = stretch.process == part.process || stretch.process == 0 || part.process == 0;
            if (stretch.activity != known.activity || !is_of_device || !is_of_process) continue;
            const std::string_view name = snapshot.strings.view(stretch.name);
            const bool is_unnamed = name.empty() || name == "N/A";
            track.ranges.push_back(
                {std::string(is_unnamed ? known.unnamed : name), us_of(stretch.start_ns), us_of(stretch.end_ns)});
        }
        std::ranges::stable_sort(track.ranges, {}, &Range::start_us);
        if (!track.ranges.empty()) tracks.push_back(std::move(track));
    }
    return tracks;
}

}  // namespace snapviewer::memscope
