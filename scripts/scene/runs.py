"""Several runs of one scene, a folder each: the dump of each that a row of panels shows."""

from ccpbench_results import InputError
from plotting import own_places
from scene.dump import Series, read_dump


def folders_of(places):
    """{folder: what was named in it}, in the order of the command line. What lies in one folder is one run."""
    found = {}
    for place in places:
        folder = place if place.is_dir() else place.parent
        found.setdefault(folder.resolve(), (folder, []))[1].append(place)
    return dict(found.values())


class Runs:
    """Of each run the dump of a step, in the order of the command line; each is read when it is asked for."""

    def __init__(self, folders, step):
        """folders: of folders_of; step: None for the last one of each. Throws InputError for runs of several scenes."""
        runs = {folder: Series(places) for folder, places in folders.items()}
        self.paths = [run.path_of(step, folder) for folder, run in runs.items()]
        first, *others = runs.values()
        self.scene = first.scene
        for run in others:
            if run.scene != self.scene:
                raise InputError(f"{run.paths[0]}: is of the scene '{run.scene}', expected '{self.scene}' as in {first.paths[0]}")
        self.names = [str(name) for name in own_places(list(folders)).values()]

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return read_dump(self.paths[index])
