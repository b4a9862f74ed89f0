#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/picture/picture.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer::golden {

/// Pictures as `render` draws them, of files that a test makes; skips where there is no OpenGL.
class DocumentPictureTest : public testing::Test {
protected:
    void SetUp() override;

    /// A file with this content; returns its path.
    std::string write(const std::string& name, const std::string& content) const;
    /// A database made from tests/databases/NAME.sql and changed a little; returns its path.
    std::string make_database(const std::string& name, const std::string& change = "") const;
    static std::shared_ptr<const Document> open(const std::string& path, const std::string& with = "");

    /// The timeline of a device, by its number, on the axis that it opens with unless one is given.
    testing::AssertionResult timeline_matches(const Document& document, std::int32_t number, const std::string& name,
                                              std::optional<Axis> axis = {});
    testing::AssertionResult icicle_matches(const Document& document, const std::string& title, const std::string& name);

    /// What was drawn into options_.out.
    testing::AssertionResult written_matches(const Status& drawn, const std::string& name) const;

    RenderOptions options_;

private:
    TestFolder folder_;
};

}  // namespace snapviewer::golden
