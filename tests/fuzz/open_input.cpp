#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/context.h"
#include "core/fleet/fleet.h"
#include "core/fleet/fleet_reader.h"
#include "core/timeline/search.h"
#include "tests/fuzz/fuzzing.h"

namespace snapviewer::fuzz {
namespace {

constexpr query::QueryLimits k_limits{
    .max_rows = 300, .max_seconds = 2, .max_bytes = 1U << 20, .max_memory_bytes = 64U << 20};
constexpr std::uint32_t k_looked_at = 12;  // ticks, allocations: of many, so many

/// The temporary file that contains the current input.
class InputFile {
public:
    InputFile() : path_(std::filesystem::temp_directory_path() / ("snapviewer-fuzz-" + std::to_string(getpid()))) {}
    ~InputFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    std::string write(std::string_view bytes) const {
        std::ofstream(path_, std::ios::binary | std::ios::trunc)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return path_.string();
    }

private:
    std::filesystem::path path_;
};

std::string input_file(std::string_view bytes) {
    static const InputFile file;
    return file.write(bytes);
}

/// Returns up to k_looked_at evenly spaced numbers below `limit`, including the first and the last.
std::vector<std::uint32_t> some_of(std::size_t limit) {
    std::vector<std::uint32_t> places;
    const std::size_t count = std::min<std::size_t>(limit, k_looked_at);
    for (std::size_t i = 0; i < count; ++i)
        places.push_back(static_cast<std::uint32_t>(count == 1 ? 0 : i * (limit - 1) / (count - 1)));
    return places;
}

void look_at_timeline(const Timeline& timeline) {
    const std::vector<std::uint64_t>& sizes = timeline.trace().allocations.size_bytes;
    require(timeline.total_after_tick(timeline.peak_tick()) <= timeline.peak_bytes(), "no total is above the peak");
    for (const std::uint32_t tick : some_of(timeline.tick_count())) {
        std::uint64_t sum = 0;
        for (const AllocationId id : timeline.live_after_tick(tick)) sum += sizes[id.value];
        require(sum == timeline.total_after_tick(tick), "a total is the sum of what lives");
        require(timeline.tick_at(Axis::steps, static_cast<double>(timeline.step_of_tick(tick))) >= tick,
                "a tick lies at its step");
    }
    for (const std::uint32_t id : some_of(timeline.allocation_count())) {
        require(timeline.first_tick(AllocationId{id}) <= timeline.last_tick(AllocationId{id}),
                "a life begins before it ends");
        for (const PathPoint& point : timeline.path(AllocationId{id}))
            require(point.step <= timeline.step_count(), "a path ends with the picture");
        (void)timeline.pick(Axis::steps, static_cast<double>(timeline.start_step(AllocationId{id})) + 0.5, 0.5);
        if (timeline.has_times()) (void)timeline.pick(Axis::time, static_cast<double>(id), 0.5);
    }
    (void)find_text(timeline, "a");
    (void)find_text(timeline, "0x7f0000000000");
}

void look_at_mesh(const mesh::Mesh& mesh) {
    for (const mesh::Chunk& chunk : mesh.triangles.chunks)
        require(std::size_t{chunk.first_record} + chunk.record_count <= mesh.triangles.records.size(),
                "a chunk has its records");
}

}  // namespace

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

std::shared_ptr<const Document> open_bytes(std::string_view bytes) {
    Progress progress;
    Result<std::shared_ptr<const Document>> document = open_document(input_file(bytes), {}, progress);
    if (document) return std::move(*document);
    require(!document.error().text().empty(), "an error has words");
    require(document.error().code != ErrorCode::cancelled, "nobody asked to stop");
    return nullptr;
}

void look_at_everything(const Document& document) {
    require(document.devices.size() == document.snapshot->devices.size(), "each device has its picture");
    for (std::size_t device = 0; device < document.devices.size(); ++device) {
        for (const ViewKind kind : {ViewKind::allocations, ViewKind::segments, ViewKind::pools}) {
            if (!why_no_view(*document.snapshot, device, kind).empty()) continue;
            Progress progress;
            const Result<DeviceView> view = build_view(document, device, kind, progress);
            if (!view) continue;
            look_at_timeline(*view->timeline);
            if (view->mesh) look_at_mesh(*view->mesh);
            for (const mesh::ColourBy by : {mesh::ColourBy::stack, mesh::ColourBy::pool, mesh::ColourBy::category,
                                            mesh::ColourBy::age, mesh::ColourBy::module})
                require(mesh::allocation_colours(*view->timeline, by).size() == view->timeline->allocation_count(),
                        "each allocation has a colour");
        }
        if (document.details == nullptr) continue;
        for (const std::uint32_t id : some_of(document.snapshot->devices[device].allocations.size()))
            (void)document.details->details(device, AllocationId{id});
    }
    (void)tables_text(document);
}

void look_at_fleet(std::string_view bytes) {
    const std::string path = input_file(bytes);
    if (!fleet::is_fleet_database(path)) return;
    Progress progress;
    auto summary =
        caught(&progress, [&] { return fleet::read_fleet_database(path, {.step_stacks = true, .totals = true}, progress); });
    if (!summary) {
        require(!summary.error().text().empty(), "an error has words");
        return;
    }
    fleet::Fleet fleet;
    fleet.add(*summary);
    fleet.add(*summary);
    require(fleet.ranks().size() == 2 * summary->ranks.size(), "each rank has a place of its own");
    (void)fleet::fleet_json(fleet);
    for (const char c : fleet::fleet_text(fleet))
        require(c == '\n' || static_cast<unsigned char>(c) >= ' ', "no line steers a terminal");
}

std::string tables_text(const Document& document) {
    std::string text;
    query::QueryLimits limits = k_limits;
    limits.max_seconds = 600;  // a process that is paused must not have fewer rows than another
    for (const sqlite::TableDoc& table : document.database->schema()) {
        if (table.name == "import_log") continue;
        const Result<query::QueryResult> rows = document.database->run("SELECT * FROM " + table.name, limits);
        text +=
            table.name + "\n" + (rows ? query::format_result(*rows, query::TableFormat::csv) : rows.error().text() + "\n");
    }
    return text;
}

}  // namespace snapviewer::fuzz
