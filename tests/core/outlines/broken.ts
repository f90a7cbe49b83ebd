class Whole {
  fine() {}
}

function open() {
  const x = {;
}

class Next {
  fine() {}
}
