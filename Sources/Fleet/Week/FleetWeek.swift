// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What crashed in a span of time, on however many machines, in numbers that fit on a page.
///
/// Reports of kinds other than crashes are only in `otherKinds`.
public struct FleetWeek: Sendable, Equatable {
    /// The time that is counted.
    public var span: WeekSpan
    /// Crashes, each id once.
    public var crashCount = 0
    /// Machines with a crash; those without one are not known.
    public var hostCount = 0
    /// Programs with a crash.
    public var programCount = 0
    /// Signatures, those of different programs counted apart.
    public var signatureCount = 0
    /// The earliest crash known at all; nil if there is none. What happened before it is not known.
    public var earliest: Date?
    /// Signatures without an earlier crash; nil where nothing earlier is known of anything, so that
    /// it cannot be told what is new.
    public var newSignatureCount: Int?
    /// Crashes by step of `span`.
    public var perStep: [Int]
    /// Those with the most crashes, the most first.
    public var signatures: [Signature] = []
    /// Those without an earlier crash, the most crashes first.
    public var newSignatures: [NewSignature] = []
    /// The releases with the most crashes, the most first.
    public var releases: [Release] = []
    /// How many there are, with those that are left out.
    public var releaseCount = 0
    /// The machines on which the most different signatures crash, the most first.
    public var hosts: [Host] = []
    /// Reports that are of something else than a crash, the most first.
    public var otherKinds: [Kind] = []

    /// The most of each list that are kept.
    public static let mostSignatures = 20
    public static let mostReleases = 30
    public static let mostHosts = 10
    public static let mostKinds = 20

    /// A span in which nothing crashed.
    public init(_ span: WeekSpan) {
        self.span = span
        perStep = Array(repeating: 0, count: span.stepCount)
    }

    /// Crashes of one program that have a signature in common.
    public struct Signature: Sendable, Equatable {
        /// The program's name; empty if it is not known.
        public var program: String
        /// 16 hexadecimal digits; empty for crashes without a signature.
        public var identifier: String
        /// For people.
        public var text: String
        /// Crashes in the span.
        public var crashCount: Int
        /// Machines on which it crashed in the span.
        public var hostCount: Int
        /// Versions of the program that it crashed in, in the span.
        public var versionCount: Int
        /// The first and the last crash of the span.
        public var first: Date
        public var last: Date
        /// Crashes by step of the span.
        public var perStep: [Int]
        /// Whether there is no earlier crash, where that is known.
        public var isNew = false
    }

    /// A signature whose first crash is in the span.
    public struct NewSignature: Sendable, Equatable {
        /// As of `Signature`.
        public var program: String
        public var identifier: String
        public var text: String
        /// All there are.
        public var crashCount: Int
        public var hostCount: Int
        /// When it crashed first, and the version that did.
        public var first: Date
        public var firstVersion: String
    }

    /// One version of a program.
    public struct Release: Sendable, Equatable {
        /// The program's name and its version; empty if they are not known.
        public var program: String
        public var version: String
        /// In the span.
        public var crashCount: Int
        public var hostCount: Int
        public var signatureCount: Int
        /// The first crash known of it, in the span or before.
        public var first: Date
    }

    /// One machine.
    public struct Host: Sendable, Equatable {
        /// Empty for all reports that do not say where they are from.
        public var name: String
        /// In the span.
        public var crashCount: Int
        public var programCount: Int
        public var signatureCount: Int
    }

    /// Reports of a kind that is no crash.
    public struct Kind: Sendable, Equatable {
        /// `hang`; empty for reports that do not say.
        public var name: String
        /// In the span.
        public var reportCount: Int
    }

    /// Crashes by step that are in none of the first `count` signatures.
    public func othersPerStep(besides count: Int) -> [Int] {
        perStep.indices.map { step in
            let named = signatures.prefix(count).reduce(0) { $0 + $1.perStep[step] }
            // The numbers come from several questions to a table that grows meanwhile.
            return max(perStep[step] - named, 0)
        }
    }
}
