// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The crashes of a time on any number of machines; other kinds are in `otherKinds`.
package struct FleetWeek: Sendable, Equatable {
    package var span: WeekSpan
    /// Each id counts once.
    package var crashCount = 0
    /// Machines with a crash; others are unknown.
    package var hostCount = 0
    package var programCount = 0
    /// Counted separately for each program.
    package var signatureCount = 0
    /// Reports of any time and kind whose time is not believed; counted nowhere else.
    package var doubtfulCount = 0
    /// The earliest known crash at any time; nil if there is none.
    package var earliest: Timestamp?
    /// Signatures without an earlier crash; nil if nothing earlier is known.
    package var newSignatureCount: Int?
    package var perStep: [Int]
    /// The same time before, see `WeekSpan.before`; nil if records do not go back so far.
    package var before: Before?
    /// Machines with a report of a crash in the span or before; taken as running in both.
    package var hostCountOfBoth = 0
    /// How long the programs that crashed ran on all machines; nil unless known of each of them.
    package var running: Running?
    /// Signatures that are back, or crash more often than before, the most frequent first.
    package var changes: [Change] = []
    /// The most frequent first.
    package var signatures: [Signature] = []
    /// Those without an earlier crash, the most frequent first.
    package var newSignatures: [NewSignature] = []
    package var releases: [Release] = []
    /// Including those left out.
    package var releaseCount = 0
    package var hosts: [Host] = []
    package var otherKinds: [Kind] = []
    /// Crashes, and errors that the program survived; the most frequent first.
    package var memoryErrors: [MemoryError] = []

    package static let mostSignatures = 20
    package static let mostReleases = 30
    package static let mostHosts = 10
    package static let mostKinds = 20

    package init(_ span: WeekSpan) {
        self.span = span
        perStep = Array(repeating: 0, count: span.stepCount)
    }

    package struct Signature: Sendable, Equatable {
        package var program: String
        /// 16 hexadecimal digits; empty for crashes without a signature.
        package var identifier: String
        package var text: String
        package var crashCount: Int
        package var hostCount: Int
        package var versionCount: Int
        package var first: Timestamp
        package var last: Timestamp
        package var perStep: [Int]
        package var reportID = ""
        package var isNew = false
    }

    package struct NewSignature: Sendable, Equatable {
        package var program: String
        package var identifier: String
        package var text: String
        /// In the span; only late ones may be earlier.
        package var crashCount: Int
        package var hostCount: Int
        package var first: Timestamp
        package var firstVersion: String
        package var reportID = ""
    }

    package struct Release: Sendable, Equatable {
        package var program: String
        package var version: String
        package var crashCount: Int
        package var hostCount: Int
        package var signatureCount: Int
        package var first: Timestamp
    }

    package struct Host: Sendable, Equatable {
        /// Empty for all reports without one.
        package var name: String
        package var crashCount: Int
        package var programCount: Int
        package var signatureCount: Int
    }

    package struct Kind: Sendable, Equatable {
        /// `hang`; empty if the report does not say.
        package var name: String
        package var reportCount: Int
    }

    /// Of sampled allocations: docs/memory-errors.md.
    package struct MemoryError: Sendable, Equatable {
        /// `use-after-free`
        package var name: String
        package var reportCount: Int
        package var hostCount: Int
        package var signatureCount: Int
    }

    /// Crashes by step that are in none of the first `count` signatures.
    package func othersPerStep(besides count: Int) -> [Int] {
        perStep.indices.map { step in
            let named = signatures.prefix(count).reduce(0) { $0 + $1.perStep[step] }
            // The table grows between the questions.
            return max(perStep[step] - named, 0)
        }
    }
}
