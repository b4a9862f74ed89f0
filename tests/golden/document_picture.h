#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/picture/picture.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer::golden {

/// Fixture that draws files of a test like `render`. Skips without OpenGL.
class DocumentPictureTest : public testing::Test {
protected:
    void SetUp() override;

    /// Writes a file with this content and returns its path.
    std::string write(const std::string& name, const std::string& content) const;
    /// Makes a database from tests/databases/NAME.sql and the SQL in `change`, and returns its path.
    std::string make_database(const std::string& name, const std::string& change = "") const;
    static std::shared_ptr<const Document> open(const std::string& path, const std::string& with = "");

    /// Compares the timeline of the device with this number. Without `axis`, uses the axis with which it opens.
    testing::AssertionResult timeline_matches(const Document& document, std::int32_t number, const std::string& name,
                                              std::optional<Axis> axis = {});
    testing::AssertionResult icicle_matches(const Document& document, const std::string& title, const std::string& name);

    /// Compares the picture in options_.out, if drawing succeeded.
    testing::AssertionResult written_matches(const Status& drawn, const std::string& name) const;

    picture::RenderOptions options_;

private:
    TestFolder folder_;
};

}  // namespace snapviewer::golden
