// What each stage between a file and the screen costs, at two sizes. Figures to look at; nothing is decided by them.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "core/document/document.h"
#include "core/load/formats.h"
#include "core/load/pytorch/json_scanner.h"
#include "core/mesh/colours.h"
#include "core/mesh/mesh.h"
#include "core/mesh/stack_index.h"
#include "core/query/database.h"
#include "core/timeline/search.h"
#include "core/timeline/timeline.h"
#include "core/timeline/totals.h"
#include "tests/bench/training_pickle.h"
#include "tests/unit/json_pieces.h"

namespace snapviewer {
namespace {

struct Input {
    explicit Input(std::size_t events) : Input(test::TrainingPickle(events).bytes()) {}
    explicit Input(const std::string& bytes) : file_bytes(bytes.size()), file(bytes) {
        Progress progress;
        document = open_document(file.path(), {}, progress).value();
    }
    const Timeline& timeline() const { return *document->devices[0].timeline; }

    std::size_t file_bytes;
    test::ScratchFile file;
    std::shared_ptr<const Document> document;
};

/// Made at the first use, kept for all benchmarks of the same size.
const Input& input_of(const benchmark::State& state) {
    static std::map<std::int64_t, std::unique_ptr<Input>> inputs;
    std::unique_ptr<Input>& input = inputs[state.range(0)];
    if (!input) input = std::make_unique<Input>(static_cast<std::size_t>(state.range(0)));
    return *input;
}

void count_events(benchmark::State& state) { state.SetItemsProcessed(state.iterations() * state.range(0)); }

void parse_pickle(benchmark::State& state) {
    const Input& input = input_of(state);
    Progress progress;
    for (auto _ : state) benchmark::DoNotOptimize(load::load_file(input.file.path(), progress).value());
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(input.file_bytes));
}

/// A list like SnapViewer's elements.json, some 200 bytes an element.
const std::string& json_of_elements() {
    static const std::string text = [] {
        nlohmann::ordered_json elements = nlohmann::ordered_json::array();
        for (int i = 0; i < 50'000; ++i) {
            const nlohmann::ordered_json frame = {
                {"name", "forward"}, {"filename", "/srv/model/layers.py"}, {"line", i % 900}};
            elements.push_back({{"action", "alloc"},
                                {"addr", 139'000'000'000'000 + i * 512},
                                {"size", i * 512},
                                {"stream", 0},
                                {"time_us", 1'700'000'000'000'000 + i},
                                {"frames", {frame, frame}}});
        }
        return elements.dump();
    }();
    return text;
}

/// Counts what a JSON text holds; what to do with it costs both readers the same.
struct JsonCounter {
    std::uint64_t count = 0;
    void null() { ++count; }
    void boolean(bool) { ++count; }
    void whole(std::uint64_t value) { count += value & 1; }
    void negative(std::int64_t) { ++count; }
    void real(double) { ++count; }
    void string(std::string_view text) { count += text.size(); }
    void key(std::string_view text) { count += text.size(); }
    void begin_object() { ++count; }
    void end_object() { ++count; }
    void begin_array() { ++count; }
    void end_array() { ++count; }
};

/// The same for nlohmann/json.
struct SaxCounter final : nlohmann::json_sax<nlohmann::json> {
    JsonCounter counter;
    bool null() override { return counter.null(), true; }
    bool boolean(bool value) override { return counter.boolean(value), true; }
    bool number_integer(number_integer_t value) override { return counter.negative(value), true; }
    bool number_unsigned(number_unsigned_t value) override { return counter.whole(value), true; }
    bool number_float(number_float_t value, const string_t&) override { return counter.real(value), true; }
    bool string(string_t& text) override { return counter.string(text), true; }
    bool key(string_t& text) override { return counter.key(text), true; }
    bool start_object(std::size_t) override { return counter.begin_object(), true; }
    bool end_object() override { return counter.end_object(), true; }
    bool start_array(std::size_t) override { return counter.begin_array(), true; }
    bool end_array() override { return counter.end_array(), true; }
    bool binary(binary_t&) override { return false; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }
};

void scan_json(benchmark::State& state) {
    const std::string& text = json_of_elements();
    for (auto _ : state) {
        test::Pieces pieces(text, std::size_t{1} << 20);
        JsonCounter counter;
        pytorch::JsonScanner(pieces, counter).run();
        benchmark::DoNotOptimize(counter.count);
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void scan_json_by_nlohmann(benchmark::State& state) {
    const std::string& text = json_of_elements();
    for (auto _ : state) {
        SaxCounter counter;
        if (!nlohmann::json::sax_parse(text, &counter)) return state.SkipWithError("the text is refused");
        benchmark::DoNotOptimize(counter.counter.count);
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void build_timeline(benchmark::State& state) {
    const Input& input = input_of(state);
    for (auto _ : state) benchmark::DoNotOptimize(Timeline::build(input.document->snapshot, 0));
    count_events(state);
}

void build_mesh(benchmark::State& state) {
    const Input& input = input_of(state);
    for (auto _ : state) benchmark::DoNotOptimize(snapviewer::mesh::build_mesh(input.timeline()));
    count_events(state);
}

void build_stack_index(benchmark::State& state) {
    const Input& input = input_of(state);
    for (auto _ : state) benchmark::DoNotOptimize(snapviewer::mesh::build_stack_index(input.timeline().trace()));
    count_events(state);
}

void open_document(benchmark::State& state) {
    const Input& input = input_of(state);
    Progress progress;
    for (auto _ : state) benchmark::DoNotOptimize(snapviewer::open_document(input.file.path(), {}, progress).value());
    count_events(state);
}

void pick(benchmark::State& state) {
    const Timeline& timeline = input_of(state).timeline();
    const mesh::Mesh& mesh = *input_of(state).document->devices[0].mesh;
    std::mt19937 random(1);
    std::uniform_real_distribution<double> across(0, static_cast<double>(timeline.step_count()));
    std::uniform_real_distribution<double> up(0, static_cast<double>(timeline.peak_bytes()));
    for (auto _ : state) {
        const double x = across(random);
        benchmark::DoNotOptimize(mesh::pick_in_column(timeline, mesh, Axis::steps, x, x + 10, up(random)));
    }
}

void live_after_tick(benchmark::State& state) {
    const Timeline& timeline = input_of(state).timeline();
    std::mt19937 random(1);
    std::uniform_int_distribution<std::uint32_t> ticks(0, timeline.tick_count() - 1);
    for (auto _ : state) benchmark::DoNotOptimize(timeline.live_after_tick(ticks(random)));
}

void totals_of_live(benchmark::State& state) {
    const Timeline& timeline = input_of(state).timeline();
    std::mt19937 random(1);
    std::uniform_int_distribution<std::uint32_t> ticks(0, timeline.tick_count() - 1);
    for (auto _ : state)
        benchmark::DoNotOptimize(snapviewer::totals_by_stack(timeline, timeline.live_after_tick(ticks(random))));
}

/// From a text to the colours of a picture in which it stands out.
void search(benchmark::State& state) {
    const Timeline& timeline = input_of(state).timeline();
    const std::vector<std::uint32_t> plain = mesh::allocation_colours(timeline, mesh::ColourBy::stack);
    for (auto _ : state) {
        std::vector<std::uint32_t> colours = plain;
        mesh::grey_others(colours, find_text(timeline, "layer_17"));
        benchmark::DoNotOptimize(colours);
    }
    count_events(state);
}

void run_query(benchmark::State& state, const std::string& sql) {
    query::Database& database = *input_of(state).document->database;
    for (auto _ : state) {
        const Result<query::QueryResult> result = database.run(sql, {});
        if (!result || result->row_count() == 0) return state.SkipWithError("the query gives no rows");
    }
}

void query_alive_at(benchmark::State& state) {
    const Timeline& timeline = input_of(state).timeline();
    const std::string step = std::to_string(timeline.step_of_tick(timeline.peak_tick()));
    run_query(state, "SELECT idx, size FROM allocs WHERE start_time <= " + step + " AND end_time > " + step);
}
void query_stack_contains(benchmark::State& state) {
    run_query(state, "SELECT idx, size FROM allocs WHERE callstack LIKE '%layer_17%'");
}
void query_largest_first(benchmark::State& state) {
    run_query(state, "SELECT idx, size, callstack FROM allocs ORDER BY size DESC LIMIT 100");
}

void two_sizes(benchmark::internal::Benchmark* benchmark) {
    benchmark->Arg(20'000)->Arg(200'000)->Unit(benchmark::kMicrosecond);
}

BENCHMARK(parse_pickle)->Apply(two_sizes);
BENCHMARK(scan_json)->Unit(benchmark::kMillisecond);
BENCHMARK(scan_json_by_nlohmann)->Unit(benchmark::kMillisecond);
BENCHMARK(build_timeline)->Apply(two_sizes);
BENCHMARK(build_mesh)->Apply(two_sizes)->UseRealTime();
BENCHMARK(build_stack_index)->Apply(two_sizes);
BENCHMARK(open_document)->Apply(two_sizes)->UseRealTime();
BENCHMARK(pick)->Apply(two_sizes);
BENCHMARK(live_after_tick)->Apply(two_sizes);
BENCHMARK(totals_of_live)->Apply(two_sizes);
BENCHMARK(search)->Apply(two_sizes);
BENCHMARK(query_alive_at)->Apply(two_sizes);
BENCHMARK(query_stack_contains)->Apply(two_sizes);
BENCHMARK(query_largest_first)->Apply(two_sizes);

}  // namespace
}  // namespace snapviewer

BENCHMARK_MAIN();
