// SPDX-License-Identifier: Apache-2.0

import ReportDatabase

/// The options of commands that keep a database within bounds; 0 is no limit.
enum RetentionOptions {
    static let maxAge = OptionDescription(
        "max-age", value: "DAYS", kind: .wholeNumber,
        "remove reports that were filed longer ago; without it, after 90 days those that were sent "
            + "or will not be")
    static let maxCount = OptionDescription(
        "max-count", value: "N", kind: .wholeNumber, "keep at most so many reports; 500 without it")
    static let maxSize = OptionDescription(
        "max-size", value: "MB", kind: .wholeNumber,
        "keep at most so many megabytes, of 1,048,576 bytes, of minidumps and attachments; 1024 "
            + "without it")

    static let all = [maxAge, maxCount, maxSize]

    static func policy(_ arguments: ParsedArguments) -> PrunePolicy {
        var policy = PrunePolicy.standard
        if let days = arguments.count(of: maxAge) {
            // Who names an age means every report.
            policy.maxAgeDays = days
            policy.sparesUnsent = false
        }
        if let count = arguments.count(of: maxCount) { policy.maxRecordCount = count }
        if let megabytes = arguments.count(of: maxSize) { policy.maxDatabaseSizeMB = megabytes }
        return policy
    }
}
