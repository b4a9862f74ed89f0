// Compares the panels of the window in its main states with stored pictures, in both themes, at scales 1 and 2.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <ranges>
#include <string>

#include "app/features/answers/device_answers.h"
#include "app/features/findings/findings.h"
#include "app/features/live/live.h"
#include "tests/golden/window_picture.h"

namespace snapviewer {
namespace {

std::string name_of(const Look& look) {
    return fmt::format("{}_{}x", look.ground == mesh::ThemeVariant::light ? "light" : "dark", look.scale);
}

}  // namespace

/// Names the parameters in the names of the tests.
void PrintTo(const Look& look, std::ostream* out) { *out << name_of(look); }

namespace golden {
namespace {

class LookPicture : public WindowPicture, public testing::WithParamInterface<Look> {
protected:
    void SetUp() override {
        WindowPicture::SetUp();
        const float scale = GetParam().scale;
        begin(static_cast<int>(900 * scale), static_cast<int>(560 * scale), GetParam());
    }
    testing::AssertionResult look_matches(const char* panel, const std::string& name) {
        return panel_matches(panel, fmt::format("look_{}_{}", name, name_of(GetParam())));
    }
};

TEST_P(LookPicture, Welcome) {
    settle();
    EXPECT_TRUE(look_matches("Timeline", "welcome"));
}

TEST_P(LookPicture, Opened) {
    open_sample();
    EXPECT_TRUE(look_matches("##MainMenuBar", "menu"));
    EXPECT_TRUE(look_matches("Timeline", "timeline"));
    EXPECT_TRUE(look_matches("Details", "findings"));
    EXPECT_TRUE(look_matches("Query", "query_line"));
    EXPECT_TRUE(look_matches("Status", "status"));
}

/// The selection of an allocation of the leak: its details and its outline, with everything else grey.
TEST_P(LookPicture, Selected) {
    open_sample();
    const auto& findings = *feature<findings::Answers>().state().answers->findings;
    const auto growing = std::ranges::find_if(findings, [](const findings::DeviceFinding& finding) {
        return finding.severity == findings::FindingSeverity::warning;
    });
    ASSERT_NE(growing, findings.end());
    feature<findings::Answers>().go_to(static_cast<std::size_t>(growing - findings.begin()));
    settle();
    ASSERT_TRUE(session().highlight.allocations);
    const auto found =
        std::ranges::find_if(std::views::iota(0U, session().highlight.allocations->allocation_count()), [&](std::size_t i) {
            return session().highlight.allocations->contains(AllocationId{static_cast<std::uint32_t>(i)});
        });
    ask(SelectAllocation{AllocationId{static_cast<std::uint32_t>(*found)}});
    EXPECT_TRUE(look_matches("Timeline", "selected"));
    EXPECT_TRUE(look_matches("Details", "allocation"));
}

/// The list of live memory: numbers in columns, and source lines.
TEST_P(LookPicture, Live) {
    open_sample();
    show(live::k_live_page);
    EXPECT_TRUE(look_matches("Details", "live"));
}

INSTANTIATE_TEST_SUITE_P(Both, LookPicture,
                         testing::Values(Look{mesh::ThemeVariant::dark, 1, 1}, Look{mesh::ThemeVariant::dark, 2, 1},
                                         Look{mesh::ThemeVariant::light, 1, 1}, Look{mesh::ThemeVariant::light, 2, 1}));

}  // namespace
}  // namespace golden
}  // namespace snapviewer
