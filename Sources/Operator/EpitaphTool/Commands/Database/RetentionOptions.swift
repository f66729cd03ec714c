// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase

enum RetentionOptions {
    static let maxAge = OptionDescription(
        "max-age", value: "DAYS", kind: .wholeNumber,
        "remove reports filed more than DAYS days ago; default: 90 days, only for reports that "
            + "were sent or will not be sent")
    static let maxCount = OptionDescription(
        "max-count", value: "N", kind: .wholeNumber, "keep at most N reports; default: 500")
    static let maxSize = OptionDescription(
        "max-size", value: "MB", kind: .wholeNumber,
        "keep at most MB megabytes, of 1,048,576 bytes, of minidumps and attachments; default: "
            + "1024")

    static let all = [maxAge, maxCount, maxSize]

    static func policy(_ arguments: ParsedArguments) -> PrunePolicy {
        var policy = PrunePolicy.standard
        if let days = arguments.count(of: maxAge) {
            // An explicit age applies to every report.
            policy.maxAgeDays = days
            policy.sparesUnsent = false
        }
        if let count = arguments.count(of: maxCount) { policy.maxRecordCount = count }
        if let megabytes = arguments.count(of: maxSize) { policy.maxDatabaseSizeMB = megabytes }
        return policy
    }
}
