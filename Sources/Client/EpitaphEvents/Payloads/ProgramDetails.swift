// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A line that was logged.
    public struct LogDetails: EventDetails {
        /// How severe it is.
        public var level: Epitaph.Level
        /// The label of the logger; empty if there is none.
        public var tag: String
        /// The text of the line.
        public var message: String
        /// The metadata of the line.
        public var metadata: [String: Epitaph.Value]

        /// Creates the details of a line.
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
}

extension Epitaph {
    /// A step in the life of the program itself.
    public struct LifecycleDetails: EventDetails {
        /// What happened to it.
        public enum Phase: String, Sendable, Codable, CaseIterable {
            /// It was started.
            case started
            /// It is ready for work.
            case ready
            /// It has read its configuration again.
            case reloaded
            /// It accepts no more work.
            case stopping
            /// It is about to end.
            case stopped
        }

        /// What happened to it.
        public var phase: Phase
        /// Why, for example `SIGTERM`.
        public var reason: String?
        /// How the launch before this one ended, in a word of the launch history.
        public var lastEnd: String?

        /// A step in the program's life.
        public init(phase: Phase, reason: String? = nil, lastEnd: String? = nil) {
            self.phase = phase
            self.reason = reason
            self.lastEnd = lastEnd
        }

        public var byteCount: Int { (reason?.utf8.count ?? 0) + (lastEnd?.utf8.count ?? 0) }
    }
}

extension Epitaph {
    /// The program entered another phase or route.
    public struct NavigationDetails: EventDetails {
        /// What kind of place.
        public enum Kind: String, Sendable, Codable, CaseIterable {
            /// A part of the program's life: `loading`, `serving`, `draining`.
            case phase
            /// A kind of work that it serves: `GET /ledger/{id}`.
            case route
        }

        /// What kind of place.
        public var kind: Kind
        /// Where it is now.
        public var destination: String
        /// Where it was before; nil for the first.
        public var origin: String?
        /// How long it was in the place before, in seconds.
        public var secondsAtOrigin: Double?

        /// A step from one place to another.
        public init(
            kind: Kind, destination: String, origin: String? = nil, secondsAtOrigin: Double? = nil
        ) {
            self.kind = kind
            self.destination = destination
            self.origin = origin
            self.secondsAtOrigin = secondsAtOrigin
        }

        public var byteCount: Int { destination.utf8.count + (origin?.utf8.count ?? 0) }
    }
}

extension Epitaph {
    /// The program's own kind of event.
    public struct CustomDetails: EventDetails {
        /// What happened.
        public var name: String
        /// What the program adds, as names and values.
        public var properties: [String: Epitaph.Value]

        /// An event of the program's own.
        public init(name: String, properties: [String: Epitaph.Value] = [:]) {
            self.name = name
            self.properties = properties
        }

        public var byteCount: Int { name.utf8.count + properties.byteCount }
    }
}

extension Epitaph {
    /// Something stored was changed. The event never contains the value.
    public struct StorageChangeDetails: EventDetails {
        /// What kind of store.
        public enum Kind: String, Sendable, Codable, CaseIterable {
            /// Settings as keys and values.
            case keyValue
            /// A database with tables.
            case database
            /// Files in a directory.
            case files
        }

        /// What was done.
        public enum Change: String, Sendable, Codable, CaseIterable {
            /// It was added.
            case added
            /// It has another value.
            case changed
            /// It was removed.
            case removed
            /// Everything was removed.
            case cleared
        }

        /// What kind of store.
        public var kind: Kind
        /// Which store.
        public var store: String
        /// The key, the table or the file; nil for the whole store.
        public var item: String?
        /// What was done.
        public var change: Change

        /// A change of a store.
        public init(kind: Kind, store: String, item: String? = nil, change: Change) {
            self.kind = kind
            self.store = store
            self.item = item
            self.change = change
        }

        public var byteCount: Int { store.utf8.count + (item?.utf8.count ?? 0) }
    }
}
