// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What crashed in a span of time, on however many machines, in numbers that fit on a page.
///
/// Reports of kinds other than crashes are only in `otherKinds`.
package struct FleetWeek: Sendable, Equatable {
    /// The time that is counted.
    package var span: WeekSpan
    /// Crashes, each id once.
    package var crashCount = 0
    /// Machines with a crash; those without one are not known.
    package var hostCount = 0
    /// Programs with a crash.
    package var programCount = 0
    /// Signatures, those of different programs counted apart.
    package var signatureCount = 0
    /// The earliest crash known at all; nil if there is none. What happened before it is not known.
    package var earliest: Timestamp?
    /// Signatures without an earlier crash; nil where nothing earlier is known of anything, so that
    /// it cannot be told what is new.
    package var newSignatureCount: Int?
    /// Crashes by step of `span`.
    package var perStep: [Int]
    /// Those with the most crashes, the most first.
    package var signatures: [Signature] = []
    /// Those without an earlier crash, the most crashes first.
    package var newSignatures: [NewSignature] = []
    /// The releases with the most crashes, the most first.
    package var releases: [Release] = []
    /// How many there are, with those that are left out.
    package var releaseCount = 0
    /// The machines on which the most different signatures crash, the most first.
    package var hosts: [Host] = []
    /// Reports that are of something else than a crash, the most first.
    package var otherKinds: [Kind] = []

    /// The most of each list that are kept.
    package static let mostSignatures = 20
    package static let mostReleases = 30
    package static let mostHosts = 10
    package static let mostKinds = 20

    /// A span in which nothing crashed.
    package init(_ span: WeekSpan) {
        self.span = span
        perStep = Array(repeating: 0, count: span.stepCount)
    }

    /// Crashes of one program that have a signature in common.
    package struct Signature: Sendable, Equatable {
        /// The program's name; empty if it is not known.
        package var program: String
        /// 16 hexadecimal digits; empty for crashes without a signature.
        package var identifier: String
        /// For people.
        package var text: String
        /// Crashes in the span.
        package var crashCount: Int
        /// Machines on which it crashed in the span.
        package var hostCount: Int
        /// Versions of the program that it crashed in, in the span.
        package var versionCount: Int
        /// The first and the last crash of the span.
        package var first: Timestamp
        package var last: Timestamp
        /// Crashes by step of the span.
        package var perStep: [Int]
        /// Whether there is no earlier crash, where that is known.
        package var isNew = false
    }

    /// A signature whose first crash is in the span.
    package struct NewSignature: Sendable, Equatable {
        /// As of `Signature`.
        package var program: String
        package var identifier: String
        package var text: String
        /// All there are.
        package var crashCount: Int
        package var hostCount: Int
        /// When it crashed first, and the version that did.
        package var first: Timestamp
        package var firstVersion: String
    }

    /// One version of a program.
    package struct Release: Sendable, Equatable {
        /// The program's name and its version; empty if they are not known.
        package var program: String
        package var version: String
        /// In the span.
        package var crashCount: Int
        package var hostCount: Int
        package var signatureCount: Int
        /// The first crash known of it, in the span or before.
        package var first: Timestamp
    }

    /// One machine.
    package struct Host: Sendable, Equatable {
        /// Empty for all reports that do not say where they are from.
        package var name: String
        /// In the span.
        package var crashCount: Int
        package var programCount: Int
        package var signatureCount: Int
    }

    /// Reports of a kind that is no crash.
    package struct Kind: Sendable, Equatable {
        /// `hang`; empty for reports that do not say.
        package var name: String
        /// In the span.
        package var reportCount: Int
    }

    /// Crashes by step that are in none of the first `count` signatures.
    package func othersPerStep(besides count: Int) -> [Int] {
        perStep.indices.map { step in
            let named = signatures.prefix(count).reduce(0) { $0 + $1.perStep[step] }
            // The numbers come from several questions to a table that grows meanwhile.
            return max(perStep[step] - named, 0)
        }
    }
}
