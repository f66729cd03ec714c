// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A line that was logged.
    public struct LogDetails: EventDetails {
        public var level: Epitaph.Level
        /// The label of the logger; empty if there is none.
        public var tag: String
        public var message: String
        public var metadata: [String: Epitaph.Value]

        public init(
            level: Epitaph.Level, tag: String, message: String,
            metadata: [String: Epitaph.Value] = [:]
        ) {
            self.level = level
            self.tag = tag
            self.message = message
            self.metadata = metadata
        }

        public var byteCount: Int { tag.utf8.count + message.utf8.count + metadata.byteCount }
    }

    /// A step in the life of the program itself.
    public struct LifecycleDetails: EventDetails {
        public enum Phase: String, Sendable, Codable, CaseIterable {
            case started
            case ready
            /// Has read its configuration again.
            case reloaded
            /// Accepts no more work.
            case stopping
            /// About to exit.
            case stopped
        }

        public var phase: Phase
        /// Why, for example `SIGTERM`.
        public var reason: String?
        /// How the launch before this one ended, in a word of the launch history.
        public var lastEnd: String?

        public init(phase: Phase, reason: String? = nil, lastEnd: String? = nil) {
            self.phase = phase
            self.reason = reason
            self.lastEnd = lastEnd
        }

        public var byteCount: Int { (reason?.utf8.count ?? 0) + (lastEnd?.utf8.count ?? 0) }
    }

    /// The program entered another phase or route.
    public struct NavigationDetails: EventDetails {
        /// The kind of place.
        public enum Kind: String, Sendable, Codable, CaseIterable {
            /// A part of the program's life: `loading`, `serving`, `draining`.
            case phase
            /// A kind of work that it serves: `GET /ledger/{id}`.
            case route
        }

        public var kind: Kind
        /// The current place.
        public var destination: String
        /// The previous place; nil for the first.
        public var origin: String?
        /// Time in the previous place, in seconds.
        public var secondsAtOrigin: Double?
        /// What the current place was entered with; nil if with nothing.
        public var arguments: [String: Epitaph.Value]?

        public init(
            kind: Kind, destination: String, origin: String? = nil, secondsAtOrigin: Double? = nil,
            arguments: [String: Epitaph.Value]? = nil
        ) {
            self.kind = kind
            self.destination = destination
            self.origin = origin
            self.secondsAtOrigin = secondsAtOrigin
            self.arguments = arguments
        }

        public var byteCount: Int {
            destination.utf8.count + (origin?.utf8.count ?? 0) + (arguments?.byteCount ?? 0)
        }
    }

    /// The program's own kind of event.
    public struct CustomDetails: EventDetails {
        public var name: String
        /// The program's own properties.
        public var properties: [String: Epitaph.Value]

        public init(name: String, properties: [String: Epitaph.Value] = [:]) {
            self.name = name
            self.properties = properties
        }

        public var byteCount: Int { name.utf8.count + properties.byteCount }
    }

    /// A stored value changed. The event never contains the value.
    public struct StorageChangeDetails: EventDetails {
        /// The kind of store.
        public enum Kind: String, Sendable, Codable, CaseIterable {
            /// Settings as keys and values.
            case keyValue
            /// A database with tables.
            case database
            /// Files in a directory.
            case files
        }

        public enum Change: String, Sendable, Codable, CaseIterable {
            case added
            case changed
            case removed
            case cleared
        }

        public var kind: Kind
        public var store: String
        /// The key, table or file; nil for the whole store.
        public var item: String?
        public var change: Change

        public init(kind: Kind, store: String, item: String? = nil, change: Change) {
            self.kind = kind
            self.store = store
            self.item = item
            self.change = change
        }

        public var byteCount: Int { store.utf8.count + (item?.utf8.count ?? 0) }
    }
}
