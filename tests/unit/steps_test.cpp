#include "core/analysis/steps/steps.h"

#include <gtest/gtest.h>

#include "core/analysis/growth/growth.h"
#include "core/analysis/kinds/kinds.h"
#include "core/analysis/stacks/stack_groups.h"
#include "core/base/context.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

/// The allocations of a simulated training program, a few lines per step.
class Training {
public:
    Training() {
        forward_ = line("model.py", 10, "forward");
        backward_ = line("engine.py", 20, "backward");
        optimizer_ = line("/env/lib/python3.11/site-packages/torch/optim/adam.py", 30, "step");
        keeps_ = line("train.py", 40, "keep");
    }
    Frame line(const char* file, std::uint32_t number, const char* function) {
        return {trace_.text(file), trace_.text(function), number};
    }
    void alloc(const Frame& frame, std::uint64_t address, std::uint64_t size) {
        trace_.alloc(address, size).with_stack({frame});
    }
    void free(std::uint64_t address, std::uint64_t size) { trace_.free(address, size); }

    /// Allocates and frees temporary memory, and allocates `kept_bytes` that stay.
    void step(std::uint64_t kept_bytes) {
        alloc(forward_, 0x1000, 1000);
        alloc(backward_, 0x2000, 500);
        free(0x1000, 1000);
        alloc(optimizer_, 0x3000, 200);
        free(0x3000, 200);
        free(0x2000, 500);
        if (kept_bytes > 0) alloc(keeps_, next_ += 0x10000, kept_bytes);
    }
    void mark(const char* name, const char* stage) {
        // The mark lies between the last event and the next one, because events are 10 us apart.
        const auto events = static_cast<std::int64_t>(trace_.raw().devices[0].events.size());
        trace_.annotation(name, stage, 1'000'000 + 10 * events + 5);
    }
    Timeline finish() { return lay_out(trace_.build()); }

    TraceBuilder trace_;
    Frame forward_, backward_, optimizer_, keeps_;
    std::uint64_t next_ = 0x100000;
};

struct Found {
    explicit Found(const Timeline& timeline)
        : lines(StackLines::build(timeline.snapshot())),
          stacks(steps::StackPhases::build(timeline.snapshot(), lines)),
          phases(steps::EventPhases::build(timeline.trace(), stacks)),
          steps(steps::find_steps(timeline, stacks, phases)) {}
    StackLines lines;
    steps::StackPhases stacks;
    steps::EventPhases phases;
    steps::Steps steps;
};

/// A timeline of steps marked by the profiler, which keep these numbers of bytes.
Timeline profiled(std::initializer_list<std::uint64_t> kept) {
    Training training;
    std::size_t number = 3;
    for (const std::uint64_t bytes : kept) {
        const std::string name = "ProfilerStep#" + std::to_string(number++);
        training.mark(name.c_str(), "START");
        training.step(bytes);
        training.mark(name.c_str(), "END");
    }
    return training.finish();
}

TEST(Steps, TheProfilersMarksAreBelieved) {
    const Timeline timeline = profiled({8000, 0, 8000});
    const steps::Steps steps = Found(timeline).steps;
    ASSERT_EQ(steps.steps.size(), 3U);
    EXPECT_EQ(steps.method, steps::StepMethod::profiler);
    EXPECT_EQ(steps.confidence, 1.0);
    EXPECT_EQ(steps.complete, 3U);
    EXPECT_EQ(steps.steps[0].name, "ProfilerStep#3");
    // A step has 10 events (a free has two), and one more if it keeps memory.
    EXPECT_EQ(steps.steps[1].begin_event, 10U);
    EXPECT_EQ(steps.steps[1].end_event, 19U);
    EXPECT_EQ(steps.steps[1].live_begin_bytes, 8000U);
    EXPECT_EQ(steps.steps[1].live_end_bytes, 8000U);
    EXPECT_EQ(steps.steps[1].peak_bytes, 9500U) << "forward and backward besides what is kept";
    EXPECT_EQ(steps.steps[1].peak_event, 11U);
    EXPECT_EQ(steps.steps[1].allocs, 3U);
    EXPECT_EQ(steps::longest_complete_run(steps).size(), 3U);
}

TEST(Steps, AStepCutByTheEndIsNotComplete) {
    Training training;
    for (const char* name : {"ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"}) {
        training.mark(name, "START");
        training.step(0);
        if (std::string_view(name) != "ProfilerStep#3") training.mark(name, "END");
    }
    const steps::Steps steps = Found(training.finish()).steps;
    ASSERT_EQ(steps.steps.size(), 3U);
    EXPECT_FALSE(steps.steps[2].is_complete);
    EXPECT_EQ(steps::longest_complete_run(steps).size(), 2U);
}

TEST(Steps, ASingleMarkGivesWayToTheNextMethod) {
    for (const char* name : {"ProfilerStep#1", "Optimizer.step#AdamW.step"}) {
        Training training;
        training.step(0);
        training.mark(name, "START");
        training.step(0);
        training.mark(name, "END");
        for (int i = 0; i < 4; ++i) training.step(0);
        const steps::Steps steps = Found(training.finish()).steps;
        EXPECT_EQ(steps.method, steps::StepMethod::optimizer_stacks) << name;
        EXPECT_GE(steps.complete, 5U) << name;
        EXPECT_EQ(steps.mark, "") << name;
    }
}

TEST(Steps, MarksWithOneCompleteStepGiveWay) {
    Training training;
    for (const char* name : {"ProfilerStep#1", "ProfilerStep#2"}) {
        training.mark(name, "START");
        training.step(0);
        if (name == std::string_view("ProfilerStep#1")) training.mark(name, "END");
    }
    for (int i = 0; i < 3; ++i) training.step(0);
    EXPECT_EQ(Found(training.finish()).steps.method, steps::StepMethod::optimizer_stacks);
}

TEST(Steps, WithoutMarksTheOptimizerEndsAStep) {
    Training training;
    for (int i = 0; i < 5; ++i) training.step(0);
    const steps::Steps steps = Found(training.finish()).steps;
    EXPECT_EQ(steps.method, steps::StepMethod::optimizer_stacks);
    EXPECT_GE(steps.complete, 4U);
    EXPECT_EQ(steps.confidence, 0.8) << "all of one length";
    // The first alloc after those of the optimizer belongs to the next step.
    EXPECT_EQ(steps.steps[1].begin_event, 9U);
    EXPECT_EQ(steps.steps[1].end_event, 18U);
}

TEST(Steps, NothingToGoByIsSaid) {
    TraceBuilder trace;
    const steps::Steps steps = Found(lay_out(trace.alloc(0x1000, 5).build())).steps;
    EXPECT_EQ(steps.method, steps::StepMethod::none);
    EXPECT_NE(steps.reason, "");
    EXPECT_TRUE(steps::longest_complete_run(steps).empty());
}

TEST(Growth, JudgesRowsOfTotals) {
    const auto judged = [](std::vector<std::int64_t> held) { return growth::judge_growth(held); };
    constexpr std::int64_t k = 8192;
    EXPECT_EQ(judged({0, k, 2 * k, 3 * k}), growth::GrowthState::leak);
    EXPECT_EQ(judged({0, k, 2 * k}), growth::GrowthState::possible);
    EXPECT_EQ(judged({0, k, k, k, k}), growth::GrowthState::settled);
    EXPECT_EQ(judged({0, k, 0, k, 0, k}), growth::GrowthState::fluctuating);
    EXPECT_EQ(judged({k, 0, k, k}), std::nullopt) << "nothing was added";
    EXPECT_EQ(judged({0, 1000, 2000, 3000}), std::nullopt) << "less than 4 KiB";
    EXPECT_EQ(judged({5}), std::nullopt);
}

TEST(Growth, SlopesAreBytesAStep) {
    const std::vector<std::int64_t> straight = {10, 30, 50, 70};
    EXPECT_EQ(growth::least_squares_slope(straight), 20.0);
    EXPECT_EQ(growth::theil_sen_slope(straight), 20.0);
    // With one outlier, the slopes of the pairs are 0, 50, 0, 100, 0 and -100, so the median of the six is 0.
    const std::vector<std::int64_t> odd = {0, 0, 100, 0};
    EXPECT_EQ(growth::theil_sen_slope(odd), 0.0);
    EXPECT_EQ(growth::least_squares_slope(odd), 10.0);
    EXPECT_EQ(growth::theil_sen_slope({}), 0.0);
}

TEST(Growth, NamesTheLineThatLeaks) {
    const Timeline timeline = profiled({8000, 8000, 8000, 8000});
    const Found found(timeline);
    const growth::Growth growth = growth::find_growth(timeline, found.lines, found.steps);
    EXPECT_EQ(growth.warmup, 1U) << "of four steps one warms up";
    EXPECT_EQ(growth.held, (std::vector<std::int64_t>{0, 8000, 16000, 24000, 32000}));
    ASSERT_EQ(growth.suspects.size(), 1U);
    const growth::GrowthRow& row = growth.suspects[0];
    EXPECT_EQ(row.source, "keep@train.py:40");
    EXPECT_EQ(row.state, growth::GrowthState::leak);
    EXPECT_EQ(row.slope, 8000.0);
    EXPECT_EQ(row.grown_bytes, 24000);
    EXPECT_EQ(row.left_by_generation, (std::vector<std::int64_t>{8000, 8000, 8000, 8000}));
    EXPECT_EQ(row.allocations.size(), 3U) << "those of the warm-up are not listed";
    EXPECT_EQ(row.monotone, 1.0);
}

TEST(Growth, FewerThanTwoStepsTellNothing) {
    TraceBuilder trace;
    const Timeline timeline = lay_out(trace.alloc(0x1000, 5).build());
    const Found found(timeline);
    const growth::Growth growth = growth::find_growth(timeline, found.lines, found.steps);
    EXPECT_TRUE(growth.edges.empty());
    EXPECT_NE(growth.reason, "");
}

TEST(Churn, CountsWhatIsFreedBeforeTheSecondNextAllocation) {
    TraceBuilder trace;
    const Frame frame{trace.text("a.py"), trace.text("f"), 1};
    trace.alloc(0x1, 10).with_stack({frame}).free(0x1, 10);                       // no event between alloc and free
    trace.alloc(0x2, 20).with_stack({frame}).alloc(0x3, 30).with_stack({frame});  // one event in between
    trace.free(0x2, 20).alloc(0x4, 40).alloc(0x5, 50).free(0x3, 30);              // two events in between
    const Timeline timeline = lay_out(trace.build());
    const Found found(timeline);
    const stacks::Churn churn = stacks::find_churn(timeline, found.lines, found.steps);
    ASSERT_EQ(churn.by_stack.size(), 1U);
    EXPECT_EQ(churn.by_stack[0].source, "f@a.py:1");
    EXPECT_EQ(churn.bytes, 30U);
    EXPECT_EQ(churn.count, 2U);
    EXPECT_EQ(churn.of_bytes, 150U);
    EXPECT_EQ(churn.by_stack[0].largest_bytes, 20U);
}

TEST(Kinds, ThePhaseAndTheLifeTell) {
    Training training;
    for (int i = 0; i < 3; ++i) training.step(0);
    const Timeline timeline = training.finish();
    const Found found(timeline);
    const kinds::Kinds kinds = kinds::find_kinds(timeline, found.stacks, found.phases, {}, found.steps);
    ASSERT_EQ(kinds.of.size(), 9U);
    EXPECT_EQ(kinds.of[0].kind, kinds::AllocationKind::activation) << "of forward, freed in backward";
    EXPECT_EQ(kinds.of[1].kind, kinds::AllocationKind::gradient) << "of backward, freed in the optimizer";
    EXPECT_EQ(kinds.of[2].kind, kinds::AllocationKind::temporary) << "of the optimizer, freed in it";
    EXPECT_EQ(kinds.allocated[static_cast<std::size_t>(kinds::AllocationKind::activation)].bytes, 3000U);
}

TEST(Kinds, RulesOfTheUserComeFirst) {
    Training training;
    training.step(8000);
    const Timeline timeline = training.finish();
    const Found found(timeline);
    const kinds::KindRules rules =
        kinds::KindRules::parse(R"([{"kind": "parameter", "frame": "train\\.py:\\d+:keep"}])").value();
    const kinds::Kinds kinds = kinds::find_kinds(timeline, found.stacks, found.phases, {}, found.steps, rules);
    EXPECT_EQ(kinds.of[3].kind, kinds::AllocationKind::parameter);
    EXPECT_EQ(kinds.of[3].reason, kinds::KindReason::user_rule);
    EXPECT_NE(kinds.of[0].reason, kinds::KindReason::user_rule);
}

TEST(Kinds, RulesThatMakeNoSenseAreRefused) {
    for (const char* json : {"", "{}", "[1]", R"([{"kind": "mine", "frame": "a"}])", R"([{"kind": "gradient"}])",
                             R"([{"kind": "gradient", "frame": "("}])", R"([{"kind": "gradient", "frame": 5}])"}) {
        EXPECT_FALSE(kinds::KindRules::parse(json).ok()) << json;
    }
    EXPECT_TRUE(kinds::KindRules::parse("[]").value().empty());
}

TEST(Kinds, RulesHaveABudget) {
    const auto rules_of = [](int count) {
        std::string json = "[";
        for (int i = 0; i < count; ++i)
            json += (i == 0 ? "" : ",") + std::string(R"({"kind": "gradient", "frame": "nowhere"})");
        return kinds::KindRules::parse(json + "]");
    };
    EXPECT_FALSE(rules_of(1001).ok());
    TraceBuilder trace;
    const std::string function(4000, 'x');
    for (std::uint32_t line = 1; line <= 200; ++line)
        trace.alloc(std::uint64_t{line} << 10, 1).with_stack({{trace.text("a.py"), trace.text(function), line}});
    const auto snapshot = trace.build();
    EXPECT_EQ(rules_of(2).value().match(*snapshot).of_stack.size(), 200U);
    const kinds::KindRules many = rules_of(1000).value();
    const auto refused = caught([&] { return many.match(*snapshot); });  // it would match 800 million characters
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
    EXPECT_NE(refused.error().message.find(" 1000 "), std::string::npos) << refused.error().message;
}

TEST(Kinds, AnExpressionDoesNotRecurseAlongALongText) {
    TraceBuilder trace;
    const std::string function(1 << 17, 'x');
    trace.alloc(0x1, 1).with_stack({{trace.text("a.py"), trace.text(function), 1}});
    const auto snapshot = trace.build();
    const kinds::KindRules rules = kinds::KindRules::parse(R"([{"kind": "gradient", "frame": "(x|y)*z"}])").value();
    const auto matches = rules.match(*snapshot);
    EXPECT_EQ(matches.of_stack[0], kinds::KindRules::k_no_rule);
}

TEST(Phases, AFrameTellsByPathOrFunction) {
    const auto phase = [](const char* path, const char* function) { return steps::phase_of_frame(path, function); };
    EXPECT_EQ(phase("a.py", "zero_grad"), steps::Phase::zero_grad);
    EXPECT_EQ(phase("torch/optim/adam.py", "f"), steps::Phase::optimizer);
    EXPECT_EQ(phase("torch/optim/lr_scheduler.py", "f"), steps::Phase::none);
    EXPECT_EQ(phase("my_optim.py", "Adam.step"), steps::Phase::optimizer);
    EXPECT_EQ(phase("train.py", "train_step"), steps::Phase::none);
    EXPECT_EQ(phase("apex/optimizers/fused.py", "do_steps"), steps::Phase::optimizer);
    EXPECT_EQ(phase("", "torch::autograd::generated::MulBackward0::apply(x)"), steps::Phase::backward);
    EXPECT_EQ(phase("", "Backwards::apply"), steps::Phase::none);
    EXPECT_EQ(phase("a.py", "Loss.backward"), steps::Phase::backward);
    EXPECT_EQ(phase("a.py", "my_backward"), steps::Phase::none);
    EXPECT_EQ(phase("a.py", "_call_impl"), steps::Phase::forward);
    EXPECT_EQ(phase("torch/nn/modules/linear.py", "__init__"), steps::Phase::init);
    EXPECT_EQ(phase("a.py", "__init__"), steps::Phase::none);
}

}  // namespace
}  // namespace snapviewer::test
