// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Crashpad's annotation objects of modules, MinidumpAnnotation in a MinidumpModuleCrashpadInfo,
/// with the full texts that are shortened elsewhere: see `LongText`.
enum AnnotationObjects {
    private static let moduleVersion: UInt32 = 1
    private static let stringType: UInt16 = 1

    struct Module {
        var index: Int
        var annotations: [Annotation]
    }

    /// The texts that are shortened elsewhere: values of the process's `annotations`, stored with
    /// the first module, and paths of modules. Those in `repeated` come behind `annotations` of
    /// equal names, so that a full text finds its own short form.
    static func modules(
        annotations: [Annotation], repeated: [Annotation], modules: [ModuleSnapshot]
    ) -> [Module] {
        let first = annotations.filter { LongText.short($0.value) != $0.value } + repeated
        var objects = first.isEmpty ? [] : [Module(index: 0, annotations: first)]
        for (index, module) in modules.enumerated() {
            let path = module.installedPath
            guard LongText.shortPath(path) != path else { continue }
            let annotation = Annotation(name: ReportFacts.modulePath, value: path)
            if index == 0, !objects.isEmpty {
                objects[0].annotations.append(annotation)
            } else {
                objects.append(Module(index: index, annotations: [annotation]))
            }
        }
        return objects
    }

    /// MinidumpModuleCrashpadInfoList: a count, then index and location of each module's record.
    static func place(_ modules: [Module], in layout: inout FileLayout) -> Location {
        guard !modules.isEmpty else { return .none }
        var list = ByteBuilder()
        list.append(UInt32(truncatingIfNeeded: modules.count))
        for module in modules {
            list.append(UInt32(truncatingIfNeeded: module.index))
            list.append(place(module, in: &layout))
        }
        return layout.place(list, for: "long annotations")
    }

    private static func place(_ module: Module, in layout: inout FileLayout) -> Location {
        var objects = ByteBuilder()
        objects.append(UInt32(truncatingIfNeeded: module.annotations.count))
        for annotation in module.annotations {
            let name = LongText.short(annotation.name)
            objects.append(layout.placeUTF8(name, for: "long annotations"))
            objects.append(stringType)
            objects.append(UInt16(0))  // reserved
            objects.append(layout.placeUTF8(annotation.value, for: "long annotations"))
        }
        let place = layout.place(objects, for: "long annotations")
        var record = ByteBuilder()
        record.append(moduleVersion)
        record.append(Location.none)  // messages
        record.append(Location.none)  // simple annotations
        record.append(place)
        return layout.place(record, for: "long annotations")
    }

    /// Puts these full texts in place of short forms; other objects stay in the list.
    static func restore(
        _ objects: inout [Module], in annotations: inout [Annotation],
        _ modules: inout [ModuleSnapshot]
    ) {
        var cut: [String: [Int]] = [:]
        for (index, annotation) in annotations.enumerated().reversed()
        where LongText.isShortForm(annotation.value) {
            cut[annotation.name, default: []].append(index)
        }
        for module in objects.indices {
            let index = objects[module].index
            objects[module].annotations.removeAll { object in
                if let place = cut[object.name]?.popLast() {
                    annotations[place].value = object.value
                    return true
                }
                guard object.name == ReportFacts.modulePath, modules.indices.contains(index),
                    LongText.isShort(modules[index].path, of: object.value)
                else { return false }
                modules[index].path = object.value
                return true
            }
        }
    }
}
