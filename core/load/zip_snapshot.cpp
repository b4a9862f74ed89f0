#include "core/load/zip_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/load/failure.h"
#include "core/load/limits.h"
#include "core/load/peeked_source.h"
#include "core/load/read_ahead.h"
#include "core/load/stream_snapshot.h"
#include "core/load/wrong_file.h"

namespace snapviewer {
namespace {

using Member = ZipArchive::Member;

constexpr std::size_t k_most_members_named = 10;

/// True for members that are never snapshots: folders, and files that macOS adds.
bool is_aside(const Member& member) { return member.name.ends_with('/') || member.name.starts_with("__MACOSX/"); }

/// True for a checkpoint that torch.save wrote.
bool is_checkpoint(ZipArchive& archive) {
    return std::ranges::any_of(archive.members(), [](const Member& member) { return member.name.ends_with("/data.pkl"); });
}

/// Members that may be snapshots, the largest first, and the first member that cannot be unpacked.
struct Candidates {
    std::vector<const Member*> members;
    const Member* unreadable = nullptr;
    std::string why_unreadable;
};

Candidates candidates_of(ZipArchive& archive) {
    Candidates found;
    std::vector<const Member*>& members = found.members;
    for (const Member& member : archive.members()) {
        if (!is_aside(member)) members.push_back(&member);
    }
    std::ranges::stable_sort(members, std::greater<>{}, &Member::size_bytes);
    if (members.size() > limits::k_zip_candidates) members.resize(limits::k_zip_candidates);
    std::erase_if(members, [&](const Member* member) {
        check_stop();
        std::array<char, PeekedSource::k_enough> front;
        try {
            const std::size_t size = ZipMemberReader(archive, *member).read(front);
            return !looks_like_snapshot({front.data(), size});
        } catch (const Failure& failure) {
            if (failure.error.code == ErrorCode::cancelled) throw;
            if (found.unreadable == nullptr) {
                found.unreadable = member;
                found.why_unreadable = failure.error.message;
            }
            return true;
        }
    });
    return found;
}

std::shared_ptr<Snapshot> read_member(ZipArchive& archive, const Member& member) {
    try {
        ZipMemberReader reader(archive, member);
        ReadAhead unpacked(reader);
        const std::uint64_t expected_bytes = std::min(member.size_bytes, limits::k_zip_ratio * archive.bytes().size());
        return read_stream(unpacked, expected_bytes, 1);
    } catch (Failure& failure) {
        if (failure.error.code != ErrorCode::bad_file) throw;
        const std::string& inner = failure.error.context;
        failure.error.context =
            "member " + member.name + (inner.empty() || inner.starts_with("member ") ? "" : ", " + inner);
        throw;
    }
}

std::string names_of(const std::vector<const Member*>& members) {
    std::string names;
    for (std::size_t i = 0; i < std::min(members.size(), k_most_members_named); ++i)
        names += (i == 0 ? "" : ", ") + members[i]->name;
    return members.size() > k_most_members_named ? names + ", ..." : names;
}

}  // namespace

std::shared_ptr<Snapshot> read_zipped_snapshot(ZipArchive& archive) {
    const Candidates found = candidates_of(archive);
    const std::vector<const Member*>& candidates = found.members;
    std::vector<const Member*> refused;
    std::optional<Failure> first_failure;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        try {
            std::shared_ptr<Snapshot> snapshot = read_member(archive, *candidates[i]);
            snapshot->container = snapshot->container.empty() ? "zip" : "zip/" + snapshot->container;
            if (!refused.empty()) {
                snapshot->log.add(
                    ImportCode::unusable_members,
                    fmt::format("larger members of the zip could not be read as snapshots: {}; the first one {}",
                                names_of(refused), first_failure->error.text()),
                    {}, refused.size());
            }
            const std::vector<const Member*> others(candidates.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                                    candidates.end());
            if (!others.empty()) {
                snapshot->log.add(
                    ImportCode::other_snapshots,
                    fmt::format("the zip holds more files that may be snapshots; {}, the largest, is shown, but not {}",
                                candidates[i]->name, names_of(others)),
                    {}, others.size());
            }
            return snapshot;
        } catch (const Failure& failure) {
            if (failure.error.code != ErrorCode::bad_file) throw;
            refused.push_back(candidates[i]);
            if (!first_failure) first_failure = failure;
        }
    }
    if (is_checkpoint(archive)) fail(k_is_checkpoint);
    if (candidates.empty() && found.unreadable != nullptr)
        fail(fmt::format("is a zip file whose member {} {}", found.unreadable->name, found.why_unreadable));
    fail(
        fmt::format("is a zip file of {} members without a snapshot{}; expected a pickled or JSON snapshot, or SnapViewer's "
                    "allocations.json and elements.json",
                    archive.members().size(),
                    first_failure ? fmt::format(" ({} {})", refused.front()->name, first_failure->error.text()) : ""));
}

}  // namespace snapviewer
