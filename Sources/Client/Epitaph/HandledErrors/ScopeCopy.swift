// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphCapture
import EpitaphIntermediateDump
import EpitaphValues

final class ScopeCopy: @unchecked Sendable {
    // Immutable after its creation.
    private let copy: OpaquePointer

    init?() {
        let token = TaskScope.tokenOfCaller
        guard token != 0, let copy = epitaph_scope_copy_make(token) else { return nil }
        self.copy = copy
    }

    deinit {
        epitaph_scope_copy_free(copy)
    }

    func add(to snapshot: inout ProcessSnapshot) {
        var contents = Contents()
        withUnsafeMutablePointer(to: &contents) { contents in
            var reader = epitaph_scope_reader()
            reader.context = UnsafeMutableRawPointer(contents)
            reader.on_attribute = { context, attribute in
                Contents.at(context)?.pointee.attributes += Annotation(attribute).map { [$0] } ?? []
            }
            reader.on_breadcrumb = { context, breadcrumb in
                guard let breadcrumb else { return }
                Contents.at(context)?.pointee.breadcrumbs.append(Breadcrumb(breadcrumb.pointee))
            }
            reader.on_breadcrumb_attribute = { context, attribute in
                guard let contents = Contents.at(context), let annotation = Annotation(attribute),
                    let last = contents.pointee.breadcrumbs.indices.last
                else { return }
                contents.pointee.breadcrumbs[last].attributes.append(annotation)
            }
            reader.on_loss = { context, what, count in
                Contents.at(context)?.pointee.damage.append(Damage(ScopeLoss(what, count)))
            }
            epitaph_scope_copy_read(copy, &reader)
        }
        snapshot.addScope(attributes: contents.attributes, breadcrumbs: contents.breadcrumbs)
        snapshot.damage += contents.damage
    }
}

private struct Contents {
    var attributes: [Annotation] = []
    var breadcrumbs: [Breadcrumb] = []
    var damage: [Damage] = []

    static func at(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Contents>? {
        context?.assumingMemoryBound(to: Contents.self)
    }
}

extension Annotation {
    fileprivate init?(_ copied: UnsafePointer<epitaph_copied_attribute>?) {
        guard let attribute = copied?.pointee else { return nil }
        let name = String(bytesAt: attribute.name, count: attribute.name_bytes)
        let value = attribute.value
        switch value.type {
        case EPITAPH_ATTRIBUTE_INTEGER:
            self.init(name: name, bits: UInt64(bitPattern: value.integer), type: .integer)
        case EPITAPH_ATTRIBUTE_NUMBER:
            self.init(name: name, bits: value.number.bitPattern, type: .number)
        case EPITAPH_ATTRIBUTE_BOOLEAN:
            self.init(name: name, bits: value.integer == 0 ? 0 : 1, type: .boolean)
        default:
            let text = String(bytesAt: value.string, count: value.string_bytes)
            self.init(name: name, value: text)
            isCut = attribute.is_cut != 0
        }
    }
}

extension Breadcrumb {
    fileprivate init(_ copied: epitaph_copied_breadcrumb) {
        self.init(
            number: copied.number, timeNanoseconds: copied.time_ns,
            uptimeNanoseconds: copied.uptime_ns == .max ? nil : copied.uptime_ns,
            level: Level(rawValue: copied.level) ?? .info,
            category: String(bytesAt: copied.category, count: copied.category_bytes),
            message: String(bytesAt: copied.message, count: copied.message_bytes))
        isCut = copied.is_cut != 0
        kind = String(bytesAt: copied.kind, count: copied.kind_bytes)
    }
}

extension ScopeLoss {
    fileprivate init(_ what: epitaph_scope_loss, _ count: UInt64) {
        self =
            switch what {
            case EPITAPH_SCOPE_LOST_ATTRIBUTES: .attributes(count)
            case EPITAPH_SCOPE_LOST_BREADCRUMBS: .breadcrumbs(count)
            default: .scope
            }
    }
}

extension String {
    fileprivate init(bytesAt start: UnsafePointer<CChar>?, count: Int) {
        let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
        self.init(decoding: bytes, as: UTF8.self)
    }
}
