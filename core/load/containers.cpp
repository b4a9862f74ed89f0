#include "core/load/containers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/addresses.h"
#include "core/base/limits.h"
#include "core/load/bytes/byte_source.h"
#include "core/load/bytes/packings.h"
#include "core/load/bytes/pages.h"
#include "core/load/bytes/sources.h"
#include "core/load/formats.h"
#include "core/load/remote/source.h"
#include "core/load/wrong_file.h"

namespace snapviewer {
namespace {

std::shared_ptr<Snapshot> read_packed(ByteReader& reader, std::uint64_t expected_bytes, const Input& input,
                                      const char* context) {
    if (input.depth >= limits::k_container_depth) fail("is compressed more times over than any real snapshot");
    return in_context(context, [&] {
        ReadAhead unpacked(reader);
        return read_stream(unpacked, expected_bytes, input.depth + 1, input.part);
    });
}

}  // namespace

bool looks_like_snapshot(std::string_view front) {
    Input input;
    input.front = front;
    return std::ranges::any_of(formats(), [&](const Format& format) { return format.looks_like(input); });
}

std::shared_ptr<Snapshot> read_stream(ByteSource& source, std::uint64_t expected_bytes, int depth, std::uint32_t part) {
    PeekedSource peeked(source);
    LoadedFile loaded;
    read_input({peeked.front(), &peeked, nullptr, expected_bytes, depth, part}, loaded);
    return std::move(loaded.snapshot);
}

bool looks_packed(std::string_view front) { return packing_of(front) != nullptr; }

std::shared_ptr<Snapshot> read_packed_snapshot(const Input& input) {
    const Packing& packing = *packing_of(input.front);
    if (packing.is_dense) budget_of_thread().expect_dense_packing();
    const std::unique_ptr<ByteReader> reader = packing.unpack(*input.bytes);
    std::shared_ptr<Snapshot> snapshot =
        read_packed(*reader, packing.usual_ratio * input.expected_bytes, input, packing.context);
    snapshot->container = packing.name + (snapshot->container.empty() ? "" : "/" + snapshot->container);
    return snapshot;
}

std::shared_ptr<Snapshot> read_page_snapshot(const Input& input) {
    HtmlReader reader(*input.bytes);
    std::shared_ptr<Snapshot> snapshot = read_packed(reader, input.expected_bytes / 4 * 3, input, "as decoded from base64");
    if (const std::string view = reader.take_view_name(); !view.empty()) snapshot->log.add("page_view", {}, {view});
    return snapshot;
}

namespace {

using Member = ZipArchive::Member;

constexpr std::size_t k_max_named_members = 10;

/// True for members that are never snapshots: folders, and files that macOS adds.
bool is_never_snapshot(const Member& member) { return member.name.ends_with('/') || member.name.starts_with("__MACOSX/"); }

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
        if (!is_never_snapshot(member)) members.push_back(&member);
    }
    std::ranges::stable_sort(members, std::greater<>{}, &Member::size_bytes);
    if (members.size() > limits::k_zip_candidates) members.resize(limits::k_zip_candidates);
    std::erase_if(members, [&](const Member* member) {
        check_stop();
        std::array<char, PeekedSource::k_min_front_bytes> front;
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
    for (std::size_t i = 0; i < std::min(members.size(), k_max_named_members); ++i)
        names += (i == 0 ? "" : ", ") + members[i]->name;
    return members.size() > k_max_named_members ? names + ", ..." : names;
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
                snapshot->log.add("unusable_members", {.count = refused.size()},
                                  {names_of(refused), first_failure->error.text()});
            }
            const std::vector<const Member*> others(candidates.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                                    candidates.end());
            if (!others.empty()) {
                snapshot->log.add(
                    "other_snapshots", {.count = others.size()},
                    {fmt::format("the zip holds more files that may be snapshots; {}, the largest, is shown, but not {}",
                                 candidates[i]->name, names_of(others))});
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

namespace {

/// Passes the unpacked content of `source` to `take`. Appends the names of the packings to `packed_with`.
void pass_bytes(ByteSource& source, std::optional<std::uint64_t> size_bytes, int depth, const TakeBytes& take,
                std::string& packed_with) {
    PeekedSource peeked(source);
    if (const Packing* packing = packing_of(peeked.front())) {
        if (depth >= limits::k_container_depth) fail("is compressed more times over than any real snapshot");
        if (packing->is_dense) budget_of_thread().expect_dense_packing();
        packed_with += (depth == 0 ? "" : "/") + std::string(packing->name);
        const std::unique_ptr<ByteReader> reader = packing->unpack(peeked);
        ReadAhead unpacked(*reader);
        return pass_bytes(unpacked, std::nullopt, depth + 1, take, packed_with);
    }
    if (!looks_like_snapshot(peeked.front()))
        fail("is not a file that can be packed; expected a PyTorch snapshot as pickle, JSON or HTML, or a memory timeline");
    for (std::string_view piece = peeked.next_piece(); !piece.empty(); piece = peeked.next_piece())
        throw_if_error(take(piece, size_bytes));
}

}  // namespace

Result<std::string> read_snapshot_bytes(const std::string& path, Progress& progress, const TakeBytes& take) {
    return caught(&progress, [&] {
        report_stage(Stage::reading);
        const auto pass_all = [&](ByteSource& source, std::optional<std::uint64_t> size_bytes) {
            std::string packings;
            pass_bytes(source, size_bytes, 0, take, packings);
            return packings;
        };
        if (is_standard_input(path)) {
            throw_if_error(StandardInputSource::take());
            StandardInputSource source;
            return pass_all(source, std::nullopt);
        }
        if (is_remote(path)) {
            RemoteSource source(value_or_throw(take_fetch(path)));
            return pass_all(source, source.expected_bytes() > 0 ? std::optional(source.expected_bytes()) : std::nullopt);
        }
        MappedFile file = value_or_throw(MappedFile::open(path));
        const std::uint64_t size_bytes = file.size_bytes();
        budget_of_thread().add_file(size_bytes);
        Result<std::string> packed_with = caught([&] {
            MappedSource source(file);
            return pass_all(source, size_bytes);
        });
        throw_if_error(file.check_still_whole());
        return value_or_throw(std::move(packed_with));
    });
}

}  // namespace snapviewer
